import { readFileSync } from 'node:fs';
import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { OPERATORS } from '@kubewright/operators';
import { installManifests } from '../../packages/kubewright/src/run/install-manifests.ts';
import { helpersTemplate, NOTES } from './chart-texts.ts';
import { valueFiles } from './chart-values.ts';
import { OPTIONS } from './conditions.ts';
import { managerTemplates } from './manager-templates.ts';
import { operatorTemplates } from './operator-templates.ts';
import { type Value, writeTemplate } from './write-template.ts';

/** The files of charts/kubewright, by their paths: what `kubewright install` prints, with values. */
export async function chartFiles(): Promise<ReadonlyMap<string, string>> {
  const operators = await Promise.all(OPERATORS.map(async (one) => ({ ...one, parts: await one.load() })));
  const manifests = installManifests(
    operators.map(({ parts }) => parts),
    OPTIONS,
  );
  const { yaml, schema } = valueFiles(operators, resourcesIn(manifests));
  const templates = { ...managerTemplates(operators, manifests), ...operatorTemplates(operators) };
  return new Map([
    ['Chart.yaml', writeTemplate([chart()])],
    ['values.yaml', yaml],
    ['values.schema.json', schema],
    ['templates/_helpers.tpl', helpersTemplate(operators.map(({ name }) => name))],
    ['templates/NOTES.txt', NOTES],
    ...Object.entries(templates).map(([name, objects]) => [`templates/${name}`, inRelease(objects)] as const),
  ]);
}

function inRelease(objects: readonly Value[]): string {
  return writeTemplate(objects).replaceAll(OPTIONS.namespace, '{{ .Release.Namespace }}');
}

function chart(): JsonObject {
  const manifest = readFileSync(new URL('../../packages/kubewright/package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return {
    apiVersion: 'v2',
    name: 'kubewright',
    description: 'Five operators that make change on Kubernetes safe.',
    type: 'application',
    version,
    appVersion: version,
    // The first with matchConditions of webhooks by default.
    kubeVersion: '>=1.28.0-0',
  };
}

function resourcesIn(manifests: readonly KubeObject[]): Json {
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') as unknown;
  const { spec } = deployment as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: readonly { readonly resources: Json }[] } };
    };
  };
  return spec.template.spec.containers[0]?.resources ?? {};
}
