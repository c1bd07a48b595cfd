import type { JsonObject } from '@kubewright/kube';
import { objectAt, stringAt } from '../objects/read.ts';
import type { ExtensionHost } from '../registry/server-extension.ts';
import { GROUP, RESOURCE } from './delegate.ts';
import { groupPriority, versionPriority } from './group-priority.ts';

const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

type Version = { readonly group: string; readonly version: string; readonly builtIn: boolean };

/**
 * Keeps an APIService for each version of a group that this server serves itself. Those of custom resources come back
 * when they are deleted, and go with the last resource of the version. An APIService that a client made is left alone.
 */
export function registerLocalApiServices(host: ExtensionHost, create: (object: JsonObject) => void): void {
  const { registry } = host;
  if (registry.find(GROUP, 'v1', RESOURCE) === undefined) return;
  const missing = ({ group, version, builtIn }: Version): boolean =>
    group !== GROUP &&
    host.get(refTo(`${version}.${group}`)) === undefined &&
    registry.all().some((one) => one.group === group && one.version === version && one.builtIn === builtIn);
  const keep = (version: Version): void => {
    if (missing(version)) create(apiService(version));
  };
  for (const definition of registry.all()) keep(definition);
  registry.onChange(({ type, definition }) => {
    if (type === 'added') keep(definition);
    else withdraw(host, definition);
  });
  host.observe(GROUP, RESOURCE, ({ type, object }) => {
    const spec = objectAt(object, 'spec');
    const [group, version] = [stringAt(spec, 'group'), stringAt(spec, 'version')];
    if (type === 'DELETED') keep({ group, version, builtIn: false });
  });
}

function refTo(name: string): { group: string; resource: string; namespace: string; name: string } {
  return { group: GROUP, resource: RESOURCE, namespace: '', name };
}

function withdraw(host: ExtensionHost, { group, version }: Version): void {
  if (host.registry.all().some((one) => one.group === group && one.version === version)) return;
  const ref = refTo(`${version}.${group}`);
  if (host.get(ref)?.metadata.labels?.[MANAGED] === 'true') host.delete(ref);
}

function apiService({ group, version, builtIn }: Version): JsonObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [MANAGED]: builtIn ? 'onstart' : 'true' } },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum: groupPriority(group),
      versionPriority: builtIn ? versionPriority(group, version) : 100,
    },
  };
}
