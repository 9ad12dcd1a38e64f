"""Puts the page's files into a C++ source: embed.py OUTPUT page.html page.css SCRIPT...

The page's Content-Security-Policy forbids every request, and every style and script but
these: it names their hashes.
"""

import base64
import hashlib
import pathlib
import sys

SOURCE = """\
#include "view/attention_page/page.h"

namespace heed::viz::detail {{

const std::string_view page = R"page({page})page";

}}  // namespace heed::viz::detail
"""


def source_hash(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def main(output, html, css, *scripts):
    page, style = (pathlib.Path(name).read_text(encoding="utf-8") for name in (html, css))
    script = "".join(pathlib.Path(name).read_text(encoding="utf-8") for name in scripts)
    policy = (
        f"default-src 'none'; style-src {source_hash(style)}; "
        f"script-src {source_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    for mark, text in ("@POLICY@", policy), ("@STYLE@", style), ("@SCRIPT@", script):
        before, after = page.split(mark)
        page = before + text + after
    if ')page"' in page:
        sys.exit('the page must not hold the characters )page"')
    pathlib.Path(output).write_text(SOURCE.format(page=page), encoding="utf-8")


main(*sys.argv[1:])
