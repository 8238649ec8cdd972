#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks the dashboard in docs/grafana against Grafana's schema. The schema (TypeScript types that Grafana publishes) and the compiler
# are installed with npm into a temporary folder. tests/cli/service/dashboard.sh checks that sysrate exports the metrics in the dashboard.
#   scripts/check-dashboard.sh [DASHBOARD]
set -eu

dashboard=$(realpath "${1:-$(dirname "$0")/../docs/grafana/sysrate.json}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$work"

# The Grafana release that has the schema version of the dashboard.
npm --silent install --ignore-scripts --no-audit --no-fund --no-package-lock @grafana/schema@10.4.1 typescript@5.4.5 >/dev/null
# A dashboard has texts where the schema has enumerations. The compiler does not accept a text as a value of an enumeration.
find node_modules/@grafana/schema -name '*.d.ts' -exec perl -0777 -pi -e '
    s/declare enum (\w+) \{(.*?)\n\}/my ($name, $body) = ($1, $2); "declare type $name = " . join(" | ", $body =~ m{= ("[^"]*"|\d+)}g) . ";"/gse' {} +

# Declares each object with its expected type, so that an unknown, wrong or missing field is a compiler error.
DASHBOARD=$dashboard python3 - >dashboard.ts <<'END'
import json, os

RAW = '@grafana/schema/dist/esm/raw/'
PANELS = {'timeseries': 'TimeSeries', 'stat': 'Stat', 'heatmap': 'Heatmap'}
names = 0

def declare(kind, value):
    global names
    names += 1
    print(f'const object{names}: {kind} = {json.dumps(value, indent=1)};')

with open(os.environ['DASHBOARD']) as file:
    dashboard = json.load(file)
print(f"import {{Dashboard, Panel, RowPanel, VariableModel}} from '{RAW}dashboard/x/dashboard_types.gen';")
print(f"import {{PrometheusDataQuery}} from '{RAW}composable/prometheus/dataquery/x/PrometheusDataQuery_types.gen';")
for kind, name in PANELS.items():
    print(f"import * as {kind} from '{RAW}composable/{kind}/panelcfg/x/{name}PanelCfg_types.gen';")
declare('Dashboard', dashboard)
for variable in dashboard['templating']['list']:
    declare('VariableModel', variable)
for panel in dashboard['panels']:
    kind = panel['type']
    if kind == 'row':
        declare('RowPanel', panel)
        continue
    declare('Panel', panel)
    declare(f'Partial<{kind}.Options>', panel['options'])
    custom = panel['fieldConfig']['defaults'].get('custom')
    if custom is not None:
        declare(f'Partial<{kind}.FieldConfig>', custom)
    for target in panel['targets']:
        declare('PrometheusDataQuery', target)
END
node_modules/.bin/tsc --noEmit --strict --skipLibCheck --moduleResolution node dashboard.ts
echo "$(grep -c '^const ' dashboard.ts) objects, as Grafana 10.4.1 has them"
