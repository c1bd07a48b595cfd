import { createClient, isNotFound } from '@kubewright/client';
import { KubeError } from '@kubewright/kube';
import { parsePathPattern } from '@kubewright/kube/fields';
import { findResource } from '../../discover/find-resource.ts';
import { KubewrightError } from '../../kubewright-error.ts';
import { describeOwners } from '../../owners/describe-owners.ts';
import { describeRemoval } from '../../owners/describe-removal.ts';
import { connect, explainApiError } from '../connect.ts';
import type { OwnersOptions } from '../program.ts';
import { paintFor, type Terminal } from '../terminal.ts';

/** `kubewright owners KIND/NAME [PATH]`. */
export async function owners(
  target: string,
  path: string | undefined,
  options: OwnersOptions,
  terminal: Terminal,
): Promise<void> {
  const { kind, name } = parseTarget(target);
  if (path !== undefined) checkPath(path);
  const { transport, url, namespace: current } = await connect(options.kubeconfig, terminal);
  try {
    const ref = await findResource(kind, transport);
    const namespace = ref.namespaced ? (options.namespace ?? current) : undefined;
    const client = createClient(transport);
    const live = await client.get(ref, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      const where = namespace === undefined ? '' : ` in namespace ${namespace}; choose another with -n`;
      throw new KubewrightError('NotFound', `there is no ${ref.kind} "${name}"${where}`);
    });
    const paint = paintFor(terminal.colour);
    terminal.out(describeOwners(live, path, paint));
    if (path === undefined) return;
    terminal.out(await describeRemoval(client, { live, path, manager: options.manager }, paint));
  } catch (error) {
    throw explainApiError(error, url);
  } finally {
    await transport.close();
  }
}

function parseTarget(target: string): { readonly kind: string; readonly name: string } {
  const [kind = '', name = '', ...rest] = target.split('/');
  if (kind !== '' && name !== '' && rest.length === 0) return { kind, name };
  const example = 'for example: kubewright owners deployment/web';
  throw new KubewrightError('Usage', `"${target}" is not KIND/NAME; ${example}`);
}

function checkPath(path: string): void {
  try {
    parsePathPattern(path);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const hint = `write it like spec.replicas, data['my.key'] or spec.containers[name="web"].image`;
    throw new KubewrightError('Usage', `${error.message}; ${hint}`, { cause: error });
  }
}
