# SPDX-License-Identifier: GPL-2.0-or-later
"""A server with MongoDB's protocol that keeps documents in memory, for features that mongo-java-server lacks. It prints its port.

--port=N               listens on this port
--auth=USER:PASSWORD   refuses all commands before a login (SCRAM-SHA-256)
--tls=FILE             uses TLS with the certificate and the key in this file
--connections=N        closes new connections while N connections are open
--silent               accepts connections but never answers
--keep=FILE            saves the documents to this file when an index is created, and loads them from it at the start
--lag=SECONDS          is a secondary with this replication lag
--own-operations       refuses to list the operations of all users

Commands for tests: {"listConnections": 1} returns the numbers of the other connections, oldest first; {"fakeKill": NUMBER} closes one
of them; {"fakeFail": CODE, "times": N} makes the next N writes fail with this code; {"fakeHang": 1} hangs until killOp or its maxTimeMS
ends it, and is listed by $currentOp; {"fakeLock": MS} waits for a lock for this time, as $currentOp says.
"""
import argparse
import base64
import hashlib
import hmac
import os
import pickle
import socket
import ssl
import struct
import threading
import time

# BSON ----------------------------------------------------------------------------------------------------------------------------


def text_at(data, at):
    end = data.index(b"\0", at)
    return data[at:end].decode(), end + 1


def decode_value(kind, data, at):
    if kind == 0x01:
        return struct.unpack_from("<d", data, at)[0], at + 8
    if kind in (0x03, 0x04):
        size = struct.unpack_from("<i", data, at)[0]
        value = decode(data[at:at + size])
        return (list(value.values()) if kind == 0x04 else value), at + size
    if kind == 0x02:
        size = struct.unpack_from("<i", data, at)[0]
        return data[at + 4:at + 3 + size].decode(), at + 4 + size
    if kind == 0x05:
        size = struct.unpack_from("<i", data, at)[0]
        return bytes(data[at + 5:at + 5 + size]), at + 5 + size
    if kind == 0x08:
        return data[at] != 0, at + 1
    if kind == 0x0A:
        return None, at
    if kind == 0x10:
        return struct.unpack_from("<i", data, at)[0], at + 4
    if kind in (0x09, 0x11, 0x12):
        return struct.unpack_from("<q", data, at)[0], at + 8
    raise ValueError("BSON of type %#x" % kind)


def decode(data):
    document, at = {}, 4
    while data[at] != 0:
        kind = data[at]
        key, at = text_at(data, at + 1)
        document[key], at = decode_value(kind, data, at)
    return document


class Time(int):
    """Milliseconds since 1970."""


def encode_value(value):
    if isinstance(value, bool):
        return 0x08, bytes([value])
    if isinstance(value, Time):
        return 0x09, struct.pack("<q", value)
    if isinstance(value, int):
        return (0x10, struct.pack("<i", value)) if -2**31 <= value < 2**31 else (0x12, struct.pack("<q", value))
    if isinstance(value, float):
        return 0x01, struct.pack("<d", value)
    if isinstance(value, str):
        raw = value.encode() + b"\0"
        return 0x02, struct.pack("<i", len(raw)) + raw
    if isinstance(value, bytes):
        return 0x05, struct.pack("<i", len(value)) + b"\0" + value
    if isinstance(value, dict):
        return 0x03, encode(value)
    if isinstance(value, list):
        return 0x04, encode({str(i): member for i, member in enumerate(value)})
    return 0x0A, b""


def encode(document):
    body = b""
    for key, value in document.items():
        kind, raw = encode_value(value)
        body += bytes([kind]) + key.encode() + b"\0" + raw
    return struct.pack("<i", len(body) + 5) + body + b"\0"


# Documents -----------------------------------------------------------------------------------------------------------------------


class Failure(Exception):
    def __init__(self, code, name, text):
        super().__init__(text)
        self.answer = {"ok": 0.0, "errmsg": text, "code": code, "codeName": name}


def parent_of(document, path):
    *parents, last = path.split(".")
    for key in parents:
        document = document.setdefault(key, {})
    return document, last


def matches(document, query):
    for path, wanted in query.items():
        parent, key = parent_of(dict(document), path)
        value = parent.get(key)
        if isinstance(wanted, dict):
            low, high = wanted.get("$gte", wanted.get("$gt")), wanted.get("$lte", wanted.get("$lt"))
            if value is None or low is not None and value < low or high is not None and value > high:
                return False
        elif value != wanted:
            return False
    return True


def changed(document, change):
    """The document after an update."""
    new = decode(encode(document))
    if not any(key.startswith("$") for key in change):
        return {"_id": document["_id"], **change}
    for path, value in change.get("$set", {}).items():
        parent, key = parent_of(new, path)
        parent[key] = value
    for path, value in change.get("$inc", {}).items():
        parent, key = parent_of(new, path)
        parent[key] = parent.get(key, 0) + value
    for path, value in change.get("$push", {}).items():
        parent, key = parent_of(new, path)
        parent[key] = parent.get(key, []) + [value]
    return new


class Store:
    """Collections by name, each with its documents by id, and the server's counters."""

    def __init__(self, path):
        self.path = path
        self.collections = {}
        if path and os.path.exists(path):
            with open(path, "rb") as file:
                self.collections = pickle.load(file)
        self.counts = dict.fromkeys(("insert", "query", "update", "delete", "getmore", "command"), 0)
        self.documents = dict.fromkeys(("inserted", "updated", "deleted", "returned"), 0)
        self.cursors = {}
        self.fail_code, self.fail_times = 0, 0

    def found(self, name, query):
        documents = self.collections.get(name, {})
        if set(query) == {"_id"} and not isinstance(query["_id"], dict):
            return [documents[query["_id"]]] if query["_id"] in documents else []
        return [document for document in documents.values() if matches(document, query)]

    def write_failure(self):
        if self.fail_times == 0:
            return
        self.fail_times -= 1
        raise Failure(self.fail_code, "WriteConflict" if self.fail_code == 112 else "Faked", "as it was told")

    def insert(self, command):
        self.write_failure()
        documents = self.collections.setdefault(command["insert"], {})
        n = 0
        for i, document in enumerate(command["documents"]):
            if document["_id"] in documents:
                return {"n": n, "writeErrors": [{"index": i, "code": 11000, "errmsg": "E11000 duplicate key"}]}
            documents[document["_id"]] = document
            n += 1
        self.counts["insert"] += n
        self.documents["inserted"] += n
        return {"n": n}

    def update(self, command):
        self.write_failure()
        n = modified = 0
        for update in command["updates"]:
            for document in self.found(command["update"], update["q"])[:None if update.get("multi") else 1]:
                new = changed(document, update["u"])
                n += 1
                modified += new != document
                self.collections[command["update"]][document["_id"]] = new
        self.counts["update"] += len(command["updates"])
        self.documents["updated"] += modified
        return {"n": n, "nModified": modified}

    def delete(self, command):
        self.write_failure()
        n = 0
        for delete in command["deletes"]:
            for document in self.found(command["delete"], delete["q"])[:1 if delete.get("limit") else None]:
                del self.collections[command["delete"]][document["_id"]]
                n += 1
        self.counts["delete"] += len(command["deletes"])
        self.documents["deleted"] += n
        return {"n": n}

    def find(self, command):
        found = self.found(command["find"], command.get("filter", {}))
        for key, direction in reversed(list(command.get("sort", {}).items())):
            found = sorted(found, key=lambda document: document.get(key), reverse=direction < 0)
        found = found[:command.get("limit") or None]
        self.counts["query"] += 1
        self.documents["returned"] += len(found)
        return self.batch(found, command["find"], "firstBatch", command.get("batchSize", 101))

    def getMore(self, command):
        self.counts["getmore"] += 1
        found = self.cursors.pop(command["getMore"])
        return self.batch(found, command["collection"], "nextBatch", command.get("batchSize", 1000))

    def batch(self, found, name, which, size):
        number = 0
        if len(found) > size:
            number = int.from_bytes(os.urandom(6), "little") + 1
            self.cursors[number] = found[size:]
        return {"cursor": {"id": number, "ns": "sbtest." + name, which: found[:size]}}

    def count(self, command):
        return {"n": len(self.found(command["count"], command.get("query", {})))}

    def create(self, command):
        if command["create"] in self.collections:
            raise Failure(48, "NamespaceExists", "Collection already exists")
        self.collections[command["create"]] = {}
        return {}

    def drop(self, command):
        if self.collections.pop(command["drop"], None) is None:
            raise Failure(26, "NamespaceNotFound", "ns not found")
        return {}

    def listCollections(self, command):
        name = command.get("filter", {}).get("name")
        found = [{"name": n, "type": "collection"} for n in self.collections if name in (None, n)]
        return self.batch(found, "$cmd", "firstBatch", 1000)

    def createIndexes(self, _):
        if self.path:
            with open(self.path, "wb") as file:
                pickle.dump(self.collections, file)
        return {"numIndexesBefore": 1, "numIndexesAfter": 2}


# Connections ---------------------------------------------------------------------------------------------------------------------


def hash_of(key, text):
    return hmac.new(key, text, "sha256").digest()


class Login:
    """The server's side of SCRAM-SHA-256."""

    def __init__(self, account):
        self.user, _, self.password = account.partition(":")
        self.salt, self.rounds, self.first, self.said = os.urandom(28), 4096, "", ""

    def start(self, payload):
        self.first = payload.decode()[3:]  # without the "n,,"
        fields = dict(field.split("=", 1) for field in self.first.split(","))
        nonce = fields["r"] + base64.b64encode(os.urandom(18)).decode()
        self.said = "r=%s,s=%s,i=%d" % (nonce, base64.b64encode(self.salt).decode(), self.rounds)
        self.known = fields["n"] == self.user
        return {"conversationId": 1, "done": False, "payload": self.said.encode()}

    def finish(self, payload):
        last, _, proof = payload.decode().rpartition(",p=")
        salted = hashlib.pbkdf2_hmac("sha256", self.password.encode(), self.salt, self.rounds)
        client = hash_of(salted, b"Client Key")
        signed = ",".join((self.first, self.said, last)).encode()
        expected = bytes(a ^ b for a, b in zip(client, hash_of(hashlib.sha256(client).digest(), signed)))
        if not self.known or not hmac.compare_digest(expected, base64.b64decode(proof)):
            raise Failure(18, "AuthenticationFailed", "Authentication failed.")
        signature = hash_of(hash_of(salted, b"Server Key"), signed)
        return {"conversationId": 1, "done": True, "payload": b"v=" + base64.b64encode(signature)}


class Server:
    def __init__(self, options):
        self.options = options
        self.store = Store(options.keep)
        self.lock = threading.Lock()
        self.tls = None
        if options.tls:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(options.tls)
        self.clients = {}  # number -> socket
        self.accepted = 0
        self.operations = {}  # number -> name of the client, word that it shall end
        self.begun = 0

    def hello(self, command, number):
        answer = {"connectionId": number, "ismaster": self.options.lag is None, "helloOk": True, "maxBsonObjectSize": 16 << 20,
                  "maxMessageSizeBytes": 48000000, "maxWriteBatchSize": 100000, "logicalSessionTimeoutMinutes": 30,
                  "minWireVersion": 0, "maxWireVersion": 13}
        if self.options.lag is not None:
            answer.update(secondary=True, setName="rs", hosts=["127.0.0.1:1"], me="127.0.0.1:1")
        if "saslSupportedMechs" in command:
            answer["saslSupportedMechs"] = ["SCRAM-SHA-256"]
        return answer

    def serverStatus(self):
        counts = self.store.counts
        return {"version": "5.0.0", "connections": {"current": len(self.clients), "active": 1}, "opcounters": counts,
                "metrics": {"document": self.store.documents},
                "globalLock": {"currentQueue": {"total": 0}, "activeClients": {"total": 1}},
                "wiredTiger": {"cache": {"pages requested from the cache": 1000 + counts["query"],
                                         "pages read into cache": 10, "pages written from cache": counts["insert"]},
                               "log": {"log bytes written": 1024 * sum(counts.values())}}}

    def replSetGetStatus(self):
        if self.options.lag is None:
            raise Failure(76, "NoReplicationEnabled", "not running with --replSet")
        now = int(time.time() * 1000)
        behind = {"stateStr": "SECONDARY", "self": True, "optimeDate": Time(now - int(self.options.lag * 1000))}
        return {"set": "rs", "members": [{"stateStr": "PRIMARY", "optimeDate": Time(now)}, behind]}

    def hang(self, client_name, limit_ms):
        """Waits until the command is killed, or until its limit if it has one."""
        end = threading.Event()
        with self.lock:
            self.begun += 1
            number = self.begun
            self.operations[number] = ({"appName": client_name, "active": True}, end)
        if end.wait(limit_ms / 1000 if limit_ms is not None else None):
            raise Failure(11601, "Interrupted", "operation was interrupted")
        with self.lock:
            self.operations.pop(number, None)
        raise Failure(50, "MaxTimeMSExpired", "operation exceeded time limit")

    def wait_for_lock(self, connection, command):
        """Waits for a lock for a time in milliseconds."""
        with self.lock:
            self.begun += 1
            number = self.begun
            self.operations[number] = ({"connectionId": connection, "active": True, "waitingForLock": True, "ns": "sbtest.sbtest1",
                                        "op": "command", "locks": {"Global": "w", "Database": "w", "Collection": "W"}}, threading.Event())
        time.sleep(command["fakeLock"] / 1000)
        with self.lock:
            self.operations.pop(number)
        return {}

    def currentOp(self, command):
        stage = command["pipeline"][0]["$currentOp"]
        if stage.get("allUsers") and self.options.own_operations:
            raise Failure(13, "Unauthorized", "not authorized on admin to execute command")
        wanted = command["pipeline"][1]["$match"] if len(command["pipeline"]) > 1 else {}
        found = [{"opid": number, **facts} for number, (facts, _) in self.operations.items()]
        if stage.get("idleConnections"):
            found += [{"connectionId": number, "active": False} for number in self.clients]
        return self.store.batch([operation for operation in found if matches(operation, wanted)], "$cmd", "firstBatch", 101)

    def killOp(self, command):
        self.operations.pop(command["op"])[1].set()
        return {"info": "attempting to kill op"}

    def execute(self, name, command, client):
        if name == "aggregate" and "$currentOp" in command["pipeline"][0]:
            return self.currentOp(command)
        if name == "killOp":
            return self.killOp(command)
        if name == "listConnections":
            others = [{"number": number} for number, other in self.clients.items() if other is not client]
            return self.store.batch(others, "$cmd", "firstBatch", 10000)
        if name == "fakeKill":
            self.clients[command["fakeKill"]].shutdown(socket.SHUT_RDWR)
            return {}
        if name == "fakeFail":
            self.store.fail_code, self.store.fail_times = command["fakeFail"], command["times"]
            return {}
        if name in ("serverStatus", "replSetGetStatus"):
            return getattr(self, name)()
        if name == "getParameter":
            return {"internalQueryPlannerMaxIndexedSolutions": 64, "ttlMonitorEnabled": True}
        if name in ("endSessions", "killCursors", "dropDatabase"):
            return {}
        if name in vars(Store):
            return getattr(self.store, name)(command)
        raise Failure(59, "CommandNotFound", "no such command: '%s'" % name)

    def answer(self, command, state, client):
        name = next(iter(command))
        if name in ("hello", "ismaster", "isMaster"):
            state["name"] = command.get("client", {}).get("application", {}).get("name", state.get("name"))
            return self.hello(command, state["number"])
        if name == "ping":
            return {}
        if name == "saslStart":
            state["login"] = Login(self.options.auth or ":")
            return state["login"].start(command["payload"])
        if name == "saslContinue":
            answer = state["login"].finish(command["payload"])
            state["in"] = True
            return answer
        if self.options.auth and not state.get("in"):
            raise Failure(13, "Unauthorized", "command %s requires authentication" % name)
        if name == "fakeLock":
            return self.wait_for_lock(state["number"], command)
        if name == "fakeHang":
            return self.hang(state["name"], command.get("maxTimeMS"))
        with self.lock:
            self.store.counts["command"] += 1
            return self.execute(name, command, client)

    def reply(self, command, state, client):
        try:
            return {**self.answer(command, state, client), "ok": 1.0}
        except Failure as failure:
            return failure.answer

    def talk(self, number, client):
        state = {"number": number}
        while True:
            head = receive(client, 16)
            if head is None:
                return
            length, request, _, kind = struct.unpack("<iiii", head)
            if kind not in (2004, 2013):
                return  # another protocol
            body = receive(client, length - 16)
            if self.options.silent or body is None:
                continue
            if kind == 2004:  # the old form, of the first hello: flags, collection, skip, return
                _, at = text_at(body, 4)
                document = encode(self.reply(decode(body[at + 8:]), state, client))
                client.sendall(struct.pack("<iiiiiqii", 36 + len(document), 0, request, 1, 8, 0, 0, 1) + document)
            else:
                document = encode(self.reply(decode_message(body), state, client))
                client.sendall(struct.pack("<iiiiIB", 21 + len(document), 0, request, 2013, 0, 0) + document)

    def serve(self, number, client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
                self.clients[number] = client
            self.talk(number, client)
        except OSError:
            pass
        finally:
            with self.lock:
                del self.clients[number]
            client.close()

    def run(self):
        with socket.create_server(("127.0.0.1", self.options.port), backlog=1000) as listener:
            print("port", listener.getsockname()[1], flush=True)
            while True:
                client, _ = listener.accept()
                with self.lock:
                    full = len(self.clients) >= self.options.connections
                    if not full:
                        self.accepted += 1
                        self.clients[self.accepted] = client
                if full:
                    client.close()
                else:
                    threading.Thread(target=self.serve, args=(self.accepted, client), daemon=True).start()


def receive(client, size):
    data = b""
    while len(data) < size:
        more = client.recv(size - len(data))
        if not more:
            return None
        data += more
    return data


def decode_message(body):
    """Flags, then sections: the command itself (0), and lists of documents that belong to it (1)."""
    command, at = {}, 4
    while at < len(body):
        kind, size = body[at], struct.unpack_from("<i", body, at + 1)[0]
        if kind == 0:
            command = {**decode(body[at + 1:at + 1 + size]), **command}
        else:
            name, inside = text_at(body, at + 5)
            command[name] = []
            while inside < at + 1 + size:
                length = struct.unpack_from("<i", body, inside)[0]
                command[name].append(decode(body[inside:inside + length]))
                inside += length
        at += 1 + size
    return command


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--auth")
    parser.add_argument("--tls")
    parser.add_argument("--connections", type=int, default=10000)
    parser.add_argument("--silent", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--lag", type=float)
    parser.add_argument("--own-operations", action="store_true")
    Server(parser.parse_args()).run()


main()
