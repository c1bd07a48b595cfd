import { existsSync } from 'node:fs';
import type { Operator, OperatorPart, OperatorParts, OPERATORS } from '@kubewright/operators';
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '@kubewright/kube';
import { annotationRows } from './annotation-rows.ts';
import { commandSection } from './command-line-page.ts';
import { eventTable } from './event-table.ts';
import { code, plain, section, shown, table } from './markdown.ts';
import { operatorSources } from './operator-sources.ts';
import { schemaRows } from './schema-rows.ts';

/** All that one operator declares. `metrics`: the rows of those that it adds to every manager's. */
export async function operatorPage(
  operator: (typeof OPERATORS)[number],
  metrics: readonly (readonly string[])[],
): Promise<string> {
  const { name, summary } = operator;
  const parts = await operator.load();
  const sources = operatorSources(name);
  const all = [
    `# ${name}: reference`,
    `What the operator \`${name}\` declares. It ${plain(summary)}. ${furtherReading(name)}`,
    section('## Custom resources', ...parts.resources.map(({ definition }) => resourceSection(definition))),
    section(
      '## Annotations, labels and finalizers',
      table(['key', 'is a', 'meaning'], annotationRows(sources)),
    ),
    section('## Settings', ...settingsParts(operator)),
    eventTable(name, sources),
    section('## Metrics', METRICS, table(METRIC_HEADS, metrics)),
    section('## Permissions', PERMISSIONS, ...parts.parts.map(partSection)),
    section('## Webhooks', table(WEBHOOK_HEADS, webhookRows(parts))),
    section('## Commands', ...(operator.commands ?? []).map((command) => commandSection(command.name))),
  ];
  return all.filter((part) => part !== undefined).join('\n\n');
}

const DOCS = new URL('../../docs/', import.meta.url);

function furtherReading(name: string): string {
  const readme = `[README](../../packages/operators/src/${name}/README.md)`;
  return existsSync(new URL(`${name}.md`, DOCS))
    ? `For what it is for, and how to use it, read [${name}](../${name}.md); for how it works, its ${readme}.`
    : `For what it is for, and how it works, read its ${readme}.`;
}

export const METRIC_HEADS = ['name', 'type', 'labels', 'meaning'];
const WEBHOOK_HEADS = ['name', 'operations', 'resources', 'failurePolicy', 'timeout'];
const SETTINGS =
  'Environment variables of the manager. `kubewright up` and `kubewright manager` also take each as a flag: `REQUEST_TTL` is `--request-ttl`.';
const METRICS =
  'Decisions are counted in `kubewright_decisions_total`, one of [the metrics of every manager](metrics.md).';
const PERMISSIONS =
  'Each part acts under its own service account. `kubewright install` prints these rules as ClusterRoles.';

function settingsParts({ settings = {} }: Operator): readonly (string | undefined)[] {
  const rows = Object.entries(settings).map(([name, help]) => [code(name), plain(help)]);
  return rows.length === 0 ? [] : [SETTINGS, table(['variable', 'meaning'], rows)];
}

function resourceSection(definition: KubeObject): string | undefined {
  const { group, names, scope, versions } = objectAt(definition, 'spec');
  const [version] = Array.isArray(versions) ? versions : [];
  const { kind, plural, shortNames } = asObject(names);
  const short = Array.isArray(shortNames)
    ? `, short name ${shortNames.map((name) => code(shown(name))).join(', ')}`
    : '';
  const schema = asObject(asObject(asObject(version)['schema'])['openAPIV3Schema']);
  const { name, additionalPrinterColumns: columns } = asObject(version);
  return section(
    `### ${shown(kind)}`,
    `${code(`${shown(group)}/${shown(name)}`)}, ${scope === 'Cluster' ? 'cluster-scoped' : 'namespaced'}, resource ${code(shown(plural))}${short}.`,
    table(['field', 'type', 'meaning'], schemaRows(schema)),
    Array.isArray(columns)
      ? `Columns of \`kubectl get\`: ${columns.map((column) => columnText(asObject(column))).join(', ')}.`
      : undefined,
  );
}

function columnText({ name, jsonPath, priority }: JsonObject): string {
  return `${shown(name)} (${code(shown(jsonPath))}${priority === undefined ? '' : ', with `-o wide`'})`;
}

function partSection({ account, rules, verbsOnAnyKind, writesOnStandby }: OperatorPart): string | undefined {
  const rows = rules.map(
    ({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs }) => [
      apiGroups.map((group) => code(group === '' ? '""' : group)).join(', '),
      [...resources, ...nonResourceURLs].map(code).join(', '),
      resourceNames.map(code).join(', '),
      verbs.join(', '),
    ],
  );
  const anyKind =
    verbsOnAnyKind === undefined
      ? undefined
      : `On objects of users' kinds: ${verbsOnAnyKind.join(', ')}. Which kinds, ClusterRoles with the label \`kubewright.io/aggregate-to-${account}: "true"\` say.`;
  const standby = writesOnStandby === true ? 'Writes on standby too, not only on the leader.' : undefined;
  return section(
    `### Service account ${code(account)}`,
    table(['apiGroups', 'resources', 'resourceNames', 'verbs'], rows),
    anyKind,
    standby,
  );
}

function webhookRows({ webhooks = [] }: OperatorParts): readonly (readonly string[])[] {
  return webhooks.flatMap((configuration) => {
    const { webhooks: hooks } = configuration as KubeObject & { readonly webhooks?: Json };
    return (Array.isArray(hooks) ? hooks : []).map((hook) => webhookRow(asObject(hook)));
  });
}

function webhookRow({ name, rules, failurePolicy, timeoutSeconds }: JsonObject): readonly string[] {
  const all = (Array.isArray(rules) ? rules : []).map(asObject);
  const listed = (key: string): string => [...new Set(all.flatMap((rule) => listOf(rule[key])))].join(', ');
  const resources = all.length === 0 ? 'set by the operator while it runs' : listed('resources');
  return [
    code(shown(name)),
    listed('operations'),
    resources,
    shown(failurePolicy),
    `${shown(timeoutSeconds ?? 10)} s`,
  ];
}

const listOf = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(shown) : []);
const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const objectAt = (object: KubeObject, key: string): JsonObject =>
  asObject((object as KubeObject & Readonly<Record<string, Json>>)[key]);
