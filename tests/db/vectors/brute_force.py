# SPDX-License-Identifier: GPL-2.0-or-later
"""Recall of searches by brute force, from what a server has logged and holds.

queries LOG                       prints the vector of each search in the log, in the order of execution
recall ROWS QUERIES FOUND         prints the mean recall@8. ROWS: id and vector, separated by a tab. QUERIES: a vector per search.
                                  FOUND: the ids that the server finds for each different vector, in sorted order of the vectors
"""
import json
import re
import sys


def queries(log):
    # PostgreSQL logs parameters after the statement. MariaDB logs the statement with its parameters.
    search = re.compile(r"Parameters: \$1 = '(\[[^]]*\])'$|Execute\tSELECT id FROM vectors1.*VEC_FromText\('(\[[^]]*\])'\)", re.IGNORECASE)
    for line in open(log, errors="replace"):
        found = search.search(line.rstrip())
        if found:
            print(found.group(1) or found.group(2))


def recall(rows_file, queries_file, found_file):
    rows = [(int(number), json.loads(text)) for number, text in (line.rstrip("\n").split("\t") for line in open(rows_file))]
    searches = open(queries_file).read().split("\n")[:-1]
    answers = {}
    for text, line in zip(sorted(set(searches), key=str.encode), open(found_file)):
        query = json.loads(text)
        exact = sorted((sum((a - b) ** 2 for a, b in zip(query, v)), number) for number, v in rows)[:8]
        answers[text] = len({number for _, number in exact} & set(map(int, line.split())))
    print(sum(answers[text] for text in searches) / (8 * len(searches)))


if __name__ == "__main__":
    {"queries": queries, "recall": recall}[sys.argv[1]](*sys.argv[2:])
