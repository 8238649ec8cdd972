# SPDX-License-Identifier: GPL-2.0-or-later
"""json_model.py MODEL.LOG: applies the operations of json_model.lua and compares the result with the documents of a database on
standard input (lines with table, id and document). Prints the differences, and the number of equal documents."""
import json
import sys


def expected(path):
    documents = {}
    for line in open(path, encoding="utf-8"):
        operation, table, *values = line.rstrip("\n").split("\t")
        if operation == "inserts":
            documents[table, values[0]] = json.loads(values[1])
        elif operation == "deletes":
            del documents[table, values[0]]
        elif operation in ("path_updates", "index_updates", "array_appends", "replaces"):
            value, document = values[0], documents[table, values[1]]
            if operation == "path_updates":
                document["status"] = value
            elif operation == "index_updates":
                document["total"] = int(value)
            elif operation == "array_appends":
                document["tags"].append(value)
            else:
                documents[table, values[1]] = json.loads(value)
    return documents


def held():
    documents = {}
    for line in sys.stdin:
        table, number, text = line.rstrip("\n").split("\t")
        document = json.loads(text)
        if "_id" in document:
            assert document.pop("_id") == int(number), line
        documents[table, number] = document
    return documents


def main():
    model, database = expected(sys.argv[1]), held()
    for key in sorted(set(model) | set(database)):
        if model.get(key) != database.get(key):
            print("document", *key, "is", database.get(key), "and should be", model.get(key))
    print(len(model), "documents in the model,", sum(database.get(key) == value for key, value in model.items()), "agree,",
          len(database), "in the database")


main()
