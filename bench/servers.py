# SPDX-License-Identifier: GPL-2.0-or-later
"""Private database servers. Their sockets and data are in a temporary folder; they are ended by their process id."""

import contextlib
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

from tools import BENCH, Failed, NotAvailable


def user_of(name):
    """Returns the user `name` and the arguments with which subprocess starts a server as this user, because servers refuse to run as root.
    Both are empty if this process is not root."""
    if os.getuid() != 0:
        return None, {}
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        raise NotAvailable("there is no user " + name) from None
    return user, {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def private_folder(user):
    folder = tempfile.mkdtemp(prefix="sysrate-bench.")
    try:
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        os.chmod(folder, 0o755)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def quietly(command, **kwargs):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **kwargs)
    if done.returncode != 0:
        raise Failed("%s: %s" % (os.path.basename(command[0]), done.stdout[-300:].strip()))


@contextlib.contextmanager
def served(command, ready, folder, **kwargs):
    """Runs the server in the body of the with statement."""
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, **kwargs)
    try:
        for _ in range(300):
            if server.poll() is not None:
                with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as log:
                    raise Failed("%s did not start: %s" % (command[0], log.read()[-300:].strip()))
            if subprocess.run(ready, capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


class MariaDB:
    name, driver, user = "MariaDB", "mysql", "mysql"

    def __init__(self, folder):
        self.socket = os.path.join(folder, "s")
        self.options = ["--db-driver=mysql", "--mysql-socket=" + self.socket, "--mysql-user=sbtest",
                        "--mysql-db=sbtest"]
        self.second_database = "--mysql-db=second"
        self.library = ["mariadb_config", "--cflags", "--libs"]
        self.bare_arguments = [self.socket]

    @classmethod
    @contextlib.contextmanager
    def running(cls):
        daemon, install = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
        if daemon is None or install is None:
            raise NotAvailable("mariadb-server is not installed")
        user, drop = user_of(cls.user)
        with private_folder(user) as folder:
            data = os.path.join(folder, "data")
            quietly([install, "--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal",
                     "--skip-test-db"], **drop)
            this = cls(folder)
            client = ["mariadb", "--no-defaults", "--socket=" + this.socket, "--user=root"]
            with served([daemon, "--no-defaults", "--datadir=" + data, "--socket=" + this.socket,
                         "--skip-networking", "--pid-file=" + os.path.join(folder, "pid"),
                         "--innodb-buffer-pool-size=1G", "--innodb-flush-log-at-trx-commit=2",
                         "--local-infile=1"], client + ["-e", "SELECT 1"], folder, **drop):
                quietly(client + ["-e", "CREATE DATABASE sbtest; CREATE DATABASE second; CREATE USER sbtest@localhost; "
                                        "GRANT ALL ON sbtest.* TO sbtest@localhost; GRANT ALL ON second.* TO sbtest@localhost; "
                                        "GRANT PROCESS ON *.* TO sbtest@localhost"])
                yield this


class PostgreSQL:
    name, driver, user = "PostgreSQL", "pgsql", "postgres"

    def __init__(self, folder):
        self.options = ["--db-driver=pgsql", "--pgsql-host=" + folder, "--pgsql-user=sbtest", "--pgsql-db=sbtest"]
        self.second_database = "--pgsql-db=second"
        self.library = ["pkg-config", "--cflags", "--libs", "libpq"]
        self.folder = folder
        self.bare_arguments = [folder]
        self.pgbench_arguments = ["--host=" + folder, "--username=sbtest", "sbtest"]

    @classmethod
    @contextlib.contextmanager
    def running(cls):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise NotAvailable("postgresql is not installed")
        user, drop = user_of(cls.user)
        with private_folder(user) as folder:
            data = os.path.join(folder, "data")
            quietly([programs[-1] + "/initdb", "-D", data, "-A", "trust", "-U", "postgres", "--locale=C",
                     "--no-sync"], cwd=folder, **drop)
            client = ["psql", "-h", folder, "-U", "postgres", "-qc"]
            with served([programs[-1] + "/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=",
                         "-c", "shared_buffers=512MB", "-c", "synchronous_commit=off", "-c", "max_wal_size=4GB"],
                        client + ["SELECT 1"], folder, **drop):
                quietly(client + ["CREATE USER sbtest"])
                for database in ("sbtest", "second"):
                    quietly(client + ["CREATE DATABASE %s OWNER sbtest" % database])
                yield cls(folder)


class DocumentStore:
    """The fake MongoDB server of the tests. Its own CPU time is not measured."""

    name, driver = "MongoDB's protocol", "mongodb"

    def __init__(self, port):
        self.options = ["--db-driver=mongodb", "--mongodb-host=127.0.0.1", "--mongodb-port=" + port]
        self.library = ["pkg-config", "--cflags", "--libs", "libmongoc-1.0"]
        self.bare_arguments = [port]

    @classmethod
    @contextlib.contextmanager
    def running(cls):
        program = os.path.join(BENCH, "..", "tests", "db", "fakes", "fake_mongodb.py")
        with subprocess.Popen([sys.executable, program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as server:
            try:
                yield cls(server.stdout.readline().split()[1])
            finally:
                server.terminate()


SERVERS = [MariaDB, PostgreSQL]
