import type { ResourceRef } from '@kubewright/client';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseApiVersion,
  type Transport,
} from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';
import { getJson } from './get-json.ts';

type Served = ResourceRef & { readonly names: readonly string[] };

/**
 * The resource that people call `name`: plural, singular, short name or kind, perhaps with `.group` behind it. As with
 * kubectl, the core group goes before all others.
 */
export async function findResource(name: string, transport: Transport): Promise<ResourceRef> {
  const [word = '', ...groupParts] = name.toLowerCase().split('.');
  const wanted = groupParts.join('.');
  for (const groupVersion of await groupVersions(transport)) {
    const { group } = parseApiVersion(groupVersion);
    if (wanted !== '' && group !== wanted && !group.startsWith(`${wanted}.`)) continue;
    const found = (await resourcesOf(groupVersion, transport)).find(({ names }) => names.includes(word));
    if (found !== undefined) {
      const { names: _names, ...ref } = found;
      return ref;
    }
  }
  throw new KubewrightError(
    'NotFound',
    `the server has no resource "${name}"; "kubectl api-resources" lists what it has`,
  );
}

/** Preferred version of each group, the core first. */
async function groupVersions(transport: Transport): Promise<readonly string[]> {
  const groups = itemsOf(await getJson('/apis', transport), 'groups');
  const preferred = groups.map((group) => stringOf(objectOf(group['preferredVersion'])['groupVersion']));
  return ['v1', ...preferred.filter((groupVersion) => groupVersion !== '')];
}

async function resourcesOf(groupVersion: string, transport: Transport): Promise<readonly Served[]> {
  const { group, version } = parseApiVersion(groupVersion);
  const list = await getJson(group === '' ? `/api/${version}` : `/apis/${groupVersion}`, transport);
  return itemsOf(list, 'resources')
    .filter((item) => !stringOf(item['name']).includes('/'))
    .map((item) => ({
      group,
      version,
      resource: stringOf(item['name']),
      kind: stringOf(item['kind']),
      namespaced: item['namespaced'] === true,
      names: namesOf(item),
    }));
}

function namesOf(item: JsonObject): readonly string[] {
  const short = item['shortNames'];
  const words = [item['name'], item['singularName'], item['kind'], ...(isJsonArray(short) ? short : [])];
  return words.map((word) => stringOf(word).toLowerCase()).filter((word) => word !== '');
}

function itemsOf(list: JsonObject, field: string): readonly JsonObject[] {
  const items = list[field];
  return isJsonArray(items) ? items.filter(isJsonObject) : [];
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function stringOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
