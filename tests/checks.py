# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks of a test in Python: a line each, as the other tests print them."""

failed = 0


def check(name, good, seen=''):
    """Prints whether `name` holds, and what was seen where it does not."""
    global failed
    print(('ok - ' if good else 'not ok - ') + name, flush=True)
    if not good:
        failed += 1
        print('\n'.join('#   ' + line for line in str(seen).splitlines()), flush=True)


def status():
    """The exit status of the test."""
    print('# %d failed' % failed)
    return 1 if failed else 0
