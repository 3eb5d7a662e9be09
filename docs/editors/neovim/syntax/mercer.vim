" Written from the words of the language by a test: see tests/suite/editors.rs.
if exists("b:current_syntax")
  finish
endif

syntax keyword mercerKeyword let fn import if then else for in
syntax keyword mercerOperator and or not
syntax keyword mercerConstant true false inf pi
syntax keyword mercerFamily Const Constant Cos Cosine DampedTrend Exponential Indicator IntegratedOU IntegratedWiener Lin Linear LocalTrend Matern12 Matern32 Matern52 OU OneHot Per Periodic Poly Polynomial RBF RQ RandomWalk RationalQuadratic SE SquaredExponential WN WhiteNoise Wiener onehot
syntax keyword mercerBuiltin ARD Gamma HalfNormal LogNormal Normal Uniform abs additive all anova any ard basis between boxcox buffet buffet_likelihood buffet_prior buffet_samples calibration ceil changepoint checks clock col compare compose concat condition confusion conv cos cov covariance crossval cumsum cylinder data datasets decompose deep deepgp density describe distinct draw dropna dropout eigen eigenvalues equal evidence exp expand explain feature_map features filter fit fixed flip floor fold folds gam gamma gp grad gradient gram grid halfnormal has head help hkl hour_of integrate invariant jacobian join join_time json keep kind latex left_join len length linear linear_regression lml load load_fit load_integral load_search log log10 log1p log2 logistic logistic_regression logit lognormal manifold map marginal max mean mean_only mercer_features min mixture mixture_samples mobius month_of motifs mutate normal order_variance overlap panels param params periodic permute pivot_longer plausible plot predict print prod product random read record reduce reflect reliability rename report residuals resume reverse ridge rotate round sample save scale score sd search search_moves seed select sensitivity shift simplify sin sort sphere split sqrt standardise standardize stationary std str sum summary surface swap symmetries take tan tanh terms torus transform translate uniform unique warp warped weekday where write year_of zip
syntax match mercerNumber /\<\d\+\(\.\d\+\)\?\([eE][+-]\?\d\+\)\?\>/
syntax region mercerString start=/"/ skip=/\\./ end=/"/ oneline
syntax match mercerComment /#.*$/

highlight default link mercerKeyword Keyword
highlight default link mercerOperator Operator
highlight default link mercerConstant Constant
highlight default link mercerFamily Type
highlight default link mercerBuiltin Function
highlight default link mercerNumber Number
highlight default link mercerString String
highlight default link mercerComment Comment

let b:current_syntax = "mercer"
