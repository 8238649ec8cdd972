# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks for tests in Python. Each check prints one line, in the format of the tests in shell."""
import threading
import time

failed = 0


def check(name, good, seen=''):
    """Prints whether the check `name` has passed. If it has not, also prints `seen`."""
    global failed
    print(('ok - ' if good else 'not ok - ') + name, flush=True)
    if not good:
        failed += 1
        print('\n'.join('#   ' + line for line in str(seen).splitlines()), flush=True)


def note_standstills(ended, standstills):
    """Whenever a sleep of 0.1 s takes more than 0.3 s, notes how many seconds it took: the machine stood still."""
    while not ended.is_set():
        start = time.monotonic()
        time.sleep(0.1)
        took = time.monotonic() - start
        if took > 0.3:
            standstills.append(round(took, 2))


def steadily(step, *arguments):
    """
    Returns the result of a step, which is repeated up to 4 times if the machine stood still during the step. Only a program that takes all
    processors could cause this itself.
    """
    for pause in (1, 2, 4, 8, 0):
        ended, standstills = threading.Event(), []
        notes = threading.Thread(target=note_standstills, args=(ended, standstills))
        notes.start()
        try:
            result = step(*arguments)
        finally:
            ended.set()
            notes.join()
        if not standstills:
            break
        if pause:
            print('# again, because the machine stood still (in s):', *standstills, flush=True)
            time.sleep(pause)
        else:
            print('# the machine stood still in the last attempt, too', flush=True)
    return result


def status():
    """Prints the number of failed checks and returns the exit status of the test."""
    print('# %d failed' % failed)
    return 1 if failed else 0
