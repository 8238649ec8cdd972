#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks the examples in deploy/: scripts/check-deploy.sh PROGRAM. The Kubernetes Job must match the schema of Kubernetes and the compose
# file the schema of Compose, neither may contain a password, and PROGRAM must accept their options. The schemas are installed from PyPI
# with pip into a temporary folder.
set -eu

program=$(realpath "${1:?usage: check-deploy.sh PROGRAM}")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

python3 -m venv "$work/python"
"$work/python/bin/pip" -q --disable-pip-version-check install --only-binary :all: jsonschema kubernetes-validate pyyaml
# Only the schema of this package is used. The package is an old release of Compose and is not executed.
"$work/python/bin/pip" -q --disable-pip-version-check download --no-deps --dest "$work" docker-compose==1.29.2
PROGRAM=$program WORK=$work "$work/python/bin/python" - <<'END'
import glob, json, os, subprocess, zipfile
import jsonschema, kubernetes_validate, yaml

def load(path):
    with open(path) as file:
        return yaml.safe_load(file)

def accepted(arguments):
    """The program knows the options: it is asked for help behind them, and says nothing of what it does not know."""
    done = subprocess.run([os.environ['PROGRAM'], *arguments[:-1], 'help'], capture_output=True, text=True)
    assert done.returncode == 0 and 'unknown' not in done.stderr, (arguments, done.stderr)

job = load('deploy/kubernetes-job.yaml')
kubernetes_validate.validate(job, '1.27', strict=True)
pod = job['spec']['template']['spec']
for container in pod['initContainers'] + pod['containers']:
    accepted(container['args'])
    assert container['securityContext']['readOnlyRootFilesystem'] and not container['securityContext']['allowPrivilegeEscalation']
    assert any('-password-file=' in argument for argument in container['args'])
print('deploy/kubernetes-job.yaml: a Job of Kubernetes 1.27')

archive = zipfile.ZipFile(glob.glob(os.environ['WORK'] + '/docker_compose-*.whl')[0])
schema = json.loads(archive.read('compose/config/compose_spec.json'))
compose = load('deploy/compose.yaml')
jsonschema.validate(compose, schema)
for name in ('prepare', 'measure'):
    accepted(compose['services'][name]['command'])
print('deploy/compose.yaml: as the specification of Compose has it')

for path in ('deploy/kubernetes-job.yaml', 'deploy/compose.yaml'):
    assert '-password=' not in open(path).read(), path + ': a password on a command line'
END
