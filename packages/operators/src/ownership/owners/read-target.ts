import { isNotFound, type ResourceRef } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';

/** KIND/NAME, as people type it. */
export type Target = { readonly kind: string; readonly name: string };

/** An object as the server has it now. */
export type LiveTarget = { readonly ref: ResourceRef; readonly live: Stored };

/** @throws OperatorError `Usage` for anything but KIND/NAME. `verb` is for the example. */
export function parseTarget(target: string, verb = 'owners'): Target {
  const [kind = '', name = '', ...rest] = target.split('/');
  if (kind !== '' && name !== '' && rest.length === 0) return { kind, name };
  const example = `for example: kubewright ${verb} deployment/web`;
  throw new OperatorError('Usage', `"${target}" is not KIND/NAME; ${example}`);
}

/** Reads the object from the server, never from a cache. */
export async function readTarget({ kind, name }: Target, stage: CommandStage): Promise<LiveTarget> {
  const ref = await stage.findResource(kind);
  const namespace = ref.namespaced ? stage.namespace : undefined;
  const live = await stage.client.get(ref, { namespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const where = namespace === undefined ? '' : ` in namespace ${namespace}; choose another with -n`;
    throw new OperatorError('NotFound', `there is no ${ref.kind} "${name}"${where}`);
  });
  return { ref, live };
}
