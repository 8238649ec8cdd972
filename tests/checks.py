# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks for tests in Python. Each check prints one line, in the format of the tests in shell."""

failed = 0


def check(name, good, seen=''):
    """Prints whether the check `name` has passed. If it has not, also prints `seen`."""
    global failed
    print(('ok - ' if good else 'not ok - ') + name, flush=True)
    if not good:
        failed += 1
        print('\n'.join('#   ' + line for line in str(seen).splitlines()), flush=True)


def status():
    """Prints the number of failed checks and returns the exit status of the test."""
    print('# %d failed' % failed)
    return 1 if failed else 0
