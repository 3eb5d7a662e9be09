"""An interrupt stops a fit, and the best parameters so far are kept. `.ci/clients` runs it."""

import math
import time
import unittest

from jupyter_client.manager import start_new_kernel

# On an idle machine it takes a tenth of a second; beyond this it does not work.
LIMIT = 5.0
CELLS = [
    ('let m = load("concrete") |> fit(ARD(SE) + ARD(SE) * ARD(Lin), restarts=50)', "m.lml"),
    ('let s = load("concrete") |> search(budget="10 min")', "s.score"),
]


class Interrupts(unittest.TestCase):
    def setUp(self):
        self.manager, self.client = start_new_kernel(kernel_name="mercer")

    def tearDown(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()

    def results(self, request):
        """The texts of the results of a request, until it has ended."""
        found = []
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "execute_result":
                found.append(message["content"]["data"]["text/plain"])
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return found

    def test_the_best_is_kept(self):
        for cell, value in CELLS:
            with self.subTest(cell):
                request = self.client.execute(cell)
                time.sleep(8)
                began = time.monotonic()
                self.manager.interrupt_kernel()
                reply = self.client.get_shell_msg(timeout=60)
                waited = time.monotonic() - began
                print(f"{value}: stopped after {waited:.2f} s", flush=True)
                self.assertEqual(reply["content"]["status"], "ok", reply["content"])
                self.assertEqual(self.results(request), [])
                [kept] = self.results(self.client.execute(value))
                self.client.get_shell_msg(timeout=60)
                self.assertTrue(math.isfinite(float(kept)), kept)
                self.assertLess(waited, LIMIT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
