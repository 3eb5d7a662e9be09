"""The kernel of Mercer against jupyter_kernel_test, the protocol suite of Jupyter. `.ci/clients` runs it."""

import unittest

import jupyter_kernel_test


class Mercer(jupyter_kernel_test.KernelTests):
    kernel_name = "mercer"
    language_name = "mercer"
    file_extension = ".mer"
    code_hello_world = 'print("hello, world")'
    code_stderr = "data(x=[0, 1, 2], y=[1, 2, 1.5], target=y) |> fit(SE, restarts=1, maxiter=1)"
    completion_samples = [
        {"text": "pred", "matches": {"predict"}},
        {"text": 'load("airl', "matches": {"airline"}},
    ]
    complete_code_samples = ["1 + 1", "let k = SE(0)\nk", "fn f(x) = x"]
    incomplete_code_samples = ["f(", "let x =", "[1, 2"]
    invalid_code_samples = ["let = 1", ")"]
    code_page_something = "?fit"
    code_generate_error = 'load("nowhere")'
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": "SE(0, l=2)", "result": "SE(0, l=2)"},
    ]
    code_display_data = [{"code": "plot(SE(0, l=1), x=0..3)\n1", "mime": "image/svg+xml"}]
    code_history_pattern = "6 ? 7*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "predict"


if __name__ == "__main__":
    unittest.main(verbosity=2)
