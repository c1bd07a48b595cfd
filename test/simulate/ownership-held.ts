import type { Client } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { readManagedFields } from '@kubewright/operators';
import { guarded } from './guarded-apply.ts';
import { at, COMPOSITIONS, NAMESPACE, object, SLICE, SLICES, stateOf } from './ownership-objects.ts';

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap' };

/** A ConfigMap whose next manifest drops a key that `holder` applies too. From `holder` nothing may be taken. */
export const HELD = { namespace: NAMESPACE, name: 'held' };
export const HOLDER = 'holder';
const KEY = 'dropped';
export const heldPath = ['f:data', `f:${KEY}`];
export const HELD_SET = FieldSet.of(heldPath);

const configMap = (data: JsonObject, metadata: JsonObject = {}): KubeObject =>
  object({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...HELD, ...metadata }, data });

/** The manifest that is handed over. The Deployment beside it does not wait for it. */
export const heldManifest: KubeObject = configMap(
  { kept: '1' },
  {
    annotations: {
      'eno.azure.io/readiness-group': '0',
      'eno.azure.io/migrate-ownership-sources': `*,!${HOLDER}*`,
    },
  },
);

export async function prepareHeld(client: Client): Promise<void> {
  const data = { kept: '1', [KEY]: '1' };
  await client.create(CONFIG_MAPS, configMap({ ...data, held: '0' }), { fieldManager: 'Go-http-client' });
  await client.apply(CONFIG_MAPS, configMap(data), { fieldManager: 'eno', force: true });
  await client.apply(CONFIG_MAPS, configMap({ [KEY]: '1', held: '0' }), {
    fieldManager: HOLDER,
    force: true,
  });
}

/** What others count up in it: `held` with each apply of the holder, `written` with each write of another client. */
export function heldCounters(live: KubeObject): Readonly<Record<string, number>> {
  return { held: Number(at(live, 'data', 'held') ?? 0), written: Number(at(live, 'data', 'written') ?? 0) };
}

/** The holder applies its manifest, in which the key is, unless it is gone from the object. */
export const hold = (context: ScenarioContext): Promise<unknown> => applyAsHolder(context, true);

/** The holder's next manifest drops the key too: nobody but us and its creator has it then. */
export const yieldHeld = (context: ScenarioContext): Promise<unknown> => applyAsHolder(context, false);

async function applyAsHolder({ client }: ScenarioContext, holds: boolean): Promise<unknown> {
  const live = await client.get(CONFIG_MAPS, HELD);
  const held = String((heldCounters(live)['held'] ?? 0) + 1);
  const kept = at(live, 'data', KEY);
  const data = { held, ...(holds && kept !== undefined ? { [KEY]: kept } : {}) };
  return guarded(client, CONFIG_MAPS, live, configMap(data), HOLDER);
}

/** Another client writes a key of its own. */
export async function writeBeside({ client }: ScenarioContext): Promise<unknown> {
  const { written = 0 } = heldCounters(await client.get(CONFIG_MAPS, HELD));
  const body = { data: { written: String(written + 1) } };
  return client.patch(CONFIG_MAPS, HELD, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
}

export const isThere = (live: KubeObject): boolean => at(live, 'data', KEY) !== undefined;

/** Whether the holder owns the key. */
export function isHeld(live: KubeObject): boolean {
  return readManagedFields(live).claims.some(
    ({ owner, set }) => owner.manager === HOLDER && set.has(heldPath),
  );
}

/** The key is gone; or it is held, and the Composition and the slice name the holder. */
export async function missingOfHeld({ client }: ScenarioContext): Promise<string | undefined> {
  const live = await client.get(CONFIG_MAPS, HELD);
  const state = stateOf(await client.get(SLICES, SLICE), 1);
  const blocked = blockedCondition(await client.get(COMPOSITIONS, { ...SLICE, name: 'shop' }));
  const message = at(blocked, 'message');
  const isNamed = typeof message === 'string' && message.includes(`${HOLDER} (Apply)`);
  const isBlocked = at(blocked, 'status') === 'True';
  const isReconciled = at(state, 'reconciled') === true;
  if (!isThere(live))
    return isReconciled && !isBlocked ? undefined : 'the key is gone, and that is not reported';
  if (!isHeld(live)) return 'a key that nobody holds is there';
  if (isReconciled) return 'a slice is reconciled, although a key is held';
  return isBlocked && isNamed ? undefined : 'no condition names the holder';
}

function blockedCondition(composition: Stored): JsonObject | undefined {
  const conditions = at(composition, 'status', 'conditions') as readonly JsonObject[] | undefined;
  return conditions?.find(({ type }) => type === 'OwnershipBlocked');
}
