"""The runner of pages, without a server."""

import unittest

import page
import shape

PAGE = """# A noun

```sh
not this
```

## With provost

```sh run
provost a
```

so:

```text
1
```

## With Terraform

```hcl run
resource "a" "b" {}
```

## With curl

```sh run
x | curl -sS
```

```sh run
provost b
```
"""


class Pages(unittest.TestCase):
    def test_blocks_are_steps_of_their_section_and_what_follows_is_their_answer(self):
        provost, terraform, curl = page.sections(PAGE)
        self.assertEqual([provost.program, terraform.program, curl.program], ["provost", "Terraform", "curl"])
        self.assertEqual([(step.commands.text, step.commands.line) for step in provost.steps], [("provost a\n", 10)])
        self.assertEqual((provost.steps[0].answer.text, provost.steps[0].answer.line), ("1\n", 16))
        self.assertEqual([step.answer for step in curl.steps], [None, None])
        self.assertEqual(terraform.configuration, 'resource "a" "b" {}\n')

    def test_every_program_needs_a_block_that_calls_it(self):
        page.require(page.sections(PAGE), ["provost", "curl", "Terraform"])
        for program, text in [("grpcurl", PAGE), ("curl", PAGE.replace("curl -sS", "grpcurl")), ("curl", PAGE.replace("sh run", "sh"))]:
            with self.assertRaisesRegex(page.Unreadable, f"the page has no {program} block"):
                page.require(page.sections(text), [program])

    def test_what_would_not_be_run_is_an_error(self):
        with self.assertRaisesRegex(page.Unreadable, "^10: a block is run outside"):
            page.sections(PAGE.replace("## With provost", "## Provost"))
        with self.assertRaisesRegex(page.Unreadable, "^7: no program is called provots"):
            page.sections(PAGE.replace("With provost", "With provots"))
        with self.assertRaisesRegex(page.Unreadable, "does not end"):
            page.sections(PAGE + "```sh run\n")


class Shapes(unittest.TestCase):
    def test_what_differs_between_machines_counts_by_kind(self):
        one = f"{'a' * 40}/0123456789abcdef at 2026-01-02T03:04:05.678Z  on 127.0.0.1:8080"
        other = f"{'b' * 40}/fedcba9876543210 at 2027-11-22T13:14:15.000Z on 127.0.0.1:34567\n"
        self.assertIsNone(shape.difference(one, other))
        self.assertIsNone(shape.difference("ID   | N\n-----+--\n", "ID | N\n---+---\n"))
        self.assertIsNone(shape.difference('{"token":"…","a":1}', '{"token":"eyJa.b.c","a":1}'))

    def test_the_first_difference_is_told_with_its_line(self):
        self.assertEqual(shape.difference('a\n{"n":…,"total":"2"}\nc', 'a\n{"n":1,"total":"3"}\nd')[0], 1)
        self.assertEqual(shape.difference("a", "a\nb"), (1, "  shown:   nothing\n  printed: b"))
        self.assertEqual(shape.difference("a\nb", "a"), (1, "  shown:   b\n  printed: nothing"))


if __name__ == "__main__":
    unittest.main()
