import { type Client, ignoreNotFound } from '@kubewright/client';
import { OperatorError } from '../../operator-error.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from '../api.ts';

/** A class by its name, for a command. */
export async function findClass(client: Client, namespace: string, name: string): Promise<ClassRuntime> {
  const found = await ignoreNotFound(client.get(CLASS_RUNTIMES, { namespace, name }));
  if (found !== undefined) return found;
  const text = `there is no ClassRuntime "${name}" in namespace ${namespace}; choose another with -n`;
  throw new OperatorError('NotFound', text);
}
