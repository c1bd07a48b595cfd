import { isNotFound } from '@kubewright/client';
import { KubeError } from '@kubewright/kube';
import { parsePathPattern } from '@kubewright/kube/fields';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { describeOwners } from './describe-owners.ts';
import { describeRemoval } from './describe-removal.ts';

/** `kubewright owners KIND/NAME [PATH]`. */
export async function runOwners(
  { args, options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const [target = '', path] = args;
  const { kind, name } = parseTarget(target);
  if (path !== undefined) checkPath(path);
  const stage = await connect();
  const { client, out, paint } = stage;
  const ref = await stage.findResource(kind);
  const namespace = ref.namespaced ? stage.namespace : undefined;
  const live = await client.get(ref, { namespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const where = namespace === undefined ? '' : ` in namespace ${namespace}; choose another with -n`;
    throw new OperatorError('NotFound', `there is no ${ref.kind} "${name}"${where}`);
  });
  out(describeOwners(live, path, paint));
  if (path === undefined) return;
  const { manager = '' } = options;
  out(await describeRemoval(client, { live, path, manager }, paint));
}

function parseTarget(target: string): { readonly kind: string; readonly name: string } {
  const [kind = '', name = '', ...rest] = target.split('/');
  if (kind !== '' && name !== '' && rest.length === 0) return { kind, name };
  const example = 'for example: kubewright owners deployment/web';
  throw new OperatorError('Usage', `"${target}" is not KIND/NAME; ${example}`);
}

function checkPath(path: string): void {
  try {
    parsePathPattern(path);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const hint = `write it like spec.replicas, data['my.key'] or spec.containers[name="web"].image`;
    throw new OperatorError('Usage', `${error.message}; ${hint}`, { cause: error });
  }
}
