import { type Json, type JsonObject, isJsonObject, parseJson } from '@kubewright/kube';
import { isTrue, objectsAt, stringAt, stringsAt } from '../objects/read.ts';

/** An extension server's `/apis/GROUP/VERSION`, as aggregated discovery shows it. */
export function versionDiscovery(version: string, body: Uint8Array): JsonObject {
  const list = parseList(body);
  const resources = list.filter((one) => !stringAt(one, 'name').includes('/'));
  return {
    version,
    resources: resources.map((resource) => {
      const name = stringAt(resource, 'name');
      const below = list.filter((one) => stringAt(one, 'name').startsWith(`${name}/`));
      return { ...resourceDiscovery(resource), ...subresources(below, name) };
    }),
    freshness: 'Current',
  };
}

function parseList(body: Uint8Array): readonly JsonObject[] {
  try {
    const value = parseJson(body);
    return isJsonObject(value) ? objectsAt(value, 'resources') : [];
  } catch {
    return [];
  }
}

function resourceDiscovery(resource: JsonObject): JsonObject {
  return {
    resource: stringAt(resource, 'name'),
    responseKind: kindOf(resource),
    scope: isTrue(resource, 'namespaced') ? 'Namespaced' : 'Cluster',
    singularResource: stringAt(resource, 'singularName'),
    verbs: stringsAt(resource, 'verbs'),
    ...listed(resource, 'shortNames'),
    ...listed(resource, 'categories'),
  };
}

function subresources(entries: readonly JsonObject[], of: string): Record<string, Json> {
  if (entries.length === 0) return {};
  return {
    subresources: entries.map((entry) => ({
      subresource: stringAt(entry, 'name').slice(of.length + 1),
      responseKind: kindOf(entry),
      verbs: stringsAt(entry, 'verbs'),
    })),
  };
}

/** Empty where the resource's own group and version are meant. */
function kindOf(entry: JsonObject): JsonObject {
  const [group, version, kind] = ['group', 'version', 'kind'].map((key) => stringAt(entry, key));
  return { group: group ?? '', version: version ?? '', kind: kind ?? '' };
}

function listed(resource: JsonObject, key: string): Record<string, Json> {
  const values = stringsAt(resource, key);
  return values.length === 0 ? {} : { [key]: values };
}
