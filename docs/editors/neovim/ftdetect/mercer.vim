autocmd BufRead,BufNewFile *.mer setfiletype mercer
