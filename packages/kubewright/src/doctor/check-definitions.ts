import type { Client } from '@kubewright/client';
import { ignoreNotFound } from '@kubewright/client';
import { apiextensionsv1, getOwn, isJsonArray, isJsonObject, type Json, jsonEqual } from '@kubewright/kube';
import { inParallel } from '@kubewright/operators';
import type { Installation, Part } from './read-installation.ts';
import { reinstall, type Result } from './result.ts';

/** Whether the CustomResourceDefinitions of operators are those of this program. */
export async function checkDefinitions(
  client: Client,
  { namespace, operators }: Pick<Installation, 'namespace' | 'operators'>,
): Promise<readonly Result[]> {
  const results = await inParallel(operators, async (operator) => checkOne(client, operator, namespace));
  return results.flat();
}

async function checkOne(client: Client, operator: Part, namespace: string): Promise<readonly Result[]> {
  const { name, parts } = operator;
  const states = await inParallel(parts.resources, async ({ definition }) => {
    const key = { name: definition.metadata.name };
    const live = await ignoreNotFound(client.get(apiextensionsv1.customresourcedefinitions, key));
    const state = live === undefined ? 'is missing' : stateOf(live, definition);
    return { name: key.name, state };
  });
  const wrong = states.filter(({ state }) => state !== undefined);
  const fix = `${reinstall(namespace, [operator])}; or start a manager of this version, which updates them`;
  if (wrong.length === 0)
    return [{ status: 'ok', what: `the ${states.length} definitions of ${name} are of this version` }];
  return wrong.map(({ name: which, state = '' }) => ({ status: 'failed', what: `${which} ${state}`, fix }));
}

function stateOf(live: apiextensionsv1.CustomResourceDefinition, wanted: Json): string | undefined {
  const spec = isJsonObject(wanted) ? getOwn(wanted, 'spec') : undefined;
  if (!holds(live.spec, spec)) return 'differs from that of this version';
  const { conditions = [] } = live.status ?? {};
  const isServed = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  return isServed ? undefined : 'is not established';
}

/** Whether a value has all of another; servers add defaults. */
function holds(live: Json | undefined, wanted: Json | undefined): boolean {
  if (isJsonObject(wanted))
    return (
      isJsonObject(live) && Object.entries(wanted).every(([name, value]) => holds(getOwn(live, name), value))
    );
  if (isJsonArray(wanted))
    return (
      isJsonArray(live) &&
      live.length === wanted.length &&
      wanted.every((value, index) => holds(live[index], value))
    );
  return jsonEqual(live ?? null, wanted ?? null);
}
