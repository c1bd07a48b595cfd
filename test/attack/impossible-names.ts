import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client, ignoreNotFound } from '@kubewright/client';
import {
  apiextensionsv1,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  parseApiVersion,
} from '@kubewright/kube';
import { OPERATORS } from '@kubewright/operators';
import { COMPOSITIONS } from '../../packages/operators/src/ownership/api.ts';
import type { Attack } from './attack.ts';
import type { Installation } from './installation.ts';
import { IMPOSSIBLE_NAMES, type NamedPlace, namedPlaces } from './named-places.ts';

/** After the last write of a status it is certain that none follows. */
const QUIET_MS = 3000;
const PATIENCE_MS = 60_000;

/** An editor of a namespace names what cannot exist, in every field that names something, past the definitions too. */
export const impossibleNames: Attack = {
  name: 'impossible-names',
  about: 'an editor of a namespace names what cannot exist, in every field that names something',
  async play(installation) {
    const { client } = installation;
    const namespace = await installation.namespace('impossible');
    const rejected = await createAll(client, namespace, 'strict');
    await loosenDefinitions(client);
    await tryEach(client, namespace);
    // That was an administrator's work, and is not judged.
    await installation.secondClient.begin();
    const created = await createAll(client, namespace, 'loose');
    const silent = await untilSettled(client, [...rejected.made, ...created.made]);
    return {
      inputs: rejected.tried + created.tried,
      effects: [
        ...silent.map((title) => `${title} has no status`),
        ...(await retried(installation)).map((line) => `fails again and again: ${line}`),
      ],
    };
  },
};

type Made = { readonly title: string; readonly place: NamedPlace; readonly object: KubeObject };

/** Those that the server takes; it may reject each for good. */
async function createAll(
  client: Client,
  namespace: string,
  prefix: string,
): Promise<{ readonly tried: number; readonly made: readonly Made[] }> {
  const made: Made[] = [];
  let tried = 0;
  const owner = await client.create(COMPOSITIONS, {
    apiVersion: 'eno.azure.io/v1',
    kind: 'Composition',
    metadata: { namespace, name: prefix },
    spec: {},
  });
  for (const place of namedPlaces(namespace, prefix, owner))
    for (const name of IMPOSSIBLE_NAMES) {
      tried++;
      const object = await created(client, place.object(name));
      const title = `${place.field} ${JSON.stringify(name).slice(0, 40)}`;
      if (object !== undefined) made.push({ title: `${object.kind} with ${title}`, place, object });
    }
  return { tried, made };
}

/** The server compiles the schema of a kind when it has the first object of it: once for each change of the definition. */
async function tryEach(client: Client, namespace: string): Promise<void> {
  const metadata = { namespace, name: 'owner', uid: 'owner', resourceVersion: '1' } as const;
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  for (const { object } of namedPlaces(namespace, 'tried', owner))
    await created(client, object('tried'), { dryRun: true });
}

/** Undefined where the server rejects it for good. */
async function created(
  client: Client,
  object: KubeObject,
  options: { readonly dryRun?: true } = {},
): Promise<KubeObject | undefined> {
  try {
    return await client.create(refOf(object), object, options);
  } catch (error) {
    if (error instanceof ApiError && [400, 403, 422].includes(error.code)) return undefined;
    throw error;
  }
}

function refOf({ apiVersion, kind }: KubeObject) {
  return { ...parseApiVersion(apiVersion), kind };
}

/** Titles of those that have no outcome in time. */
async function untilSettled(client: Client, made: readonly Made[]): Promise<readonly string[]> {
  const end = performance.now() + PATIENCE_MS;
  let silent = made;
  for (;;) {
    const left: Made[] = [];
    // One after another: whoever looks is not part of the attack.
    for (const one of silent) if (await isSilent(client, one)) left.push(one);
    silent = left;
    if (silent.length === 0 || performance.now() > end) return silent.map(({ title }) => title);
    await delay(QUIET_MS);
  }
}

async function isSilent(client: Client, { place, object }: Made): Promise<boolean> {
  const { namespace, name = '' } = object.metadata;
  return !place.isOver(await ignoreNotFound(client.get(refOf(object), { namespace, name })));
}

/** As if the objects were from before names were validated. */
async function loosenDefinitions(client: Client): Promise<void> {
  for (const operator of OPERATORS)
    for (const { definition } of (await operator.load()).resources) {
      const { spec } = loosened(definition) as { readonly spec: Json };
      const name = definition.metadata.name ?? '';
      await client.patch(
        apiextensionsv1.customresourcedefinitions,
        { name },
        { type: 'merge', body: { spec } as JsonObject },
      );
    }
}

const CHECKS = new Set(['pattern', 'maxLength', 'minLength', 'x-kubernetes-validations', 'format']);

function loosened(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(loosened);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !CHECKS.has(key) || isJsonObject(member))
      .map(([key, member]) => [key, loosened(member ?? null)]),
  );
}

/** Errors that the manager goes on to report when nothing changes. What is not served now may be served later. */
async function retried({ manager }: Installation): Promise<readonly string[]> {
  const before = manager.output().length;
  await delay(2 * QUIET_MS);
  const lines = manager.output().slice(before).split('\n');
  return lines.filter((line) => line.includes('"level":50') && !line.includes('"reason":"NoMatch"'));
}
