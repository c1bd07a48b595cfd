import { readInput } from '@kubewright/client';
import { errorText, type Json } from '@kubewright/kube';
import { decodeYaml, parseYaml } from '@kubewright/kube/yaml';
import { KubewrightError } from '../kubewright-error.ts';

/** Reads a file that a command needs; `what` names it in the error. */
export async function readYamlFile(file: string, what: string): Promise<Json> {
  const content = await readInput(file).catch((error: unknown) => {
    throw new KubewrightError('File', `cannot read ${what}: ${errorText(error)}`, { cause: error });
  });
  try {
    return parseYaml(decodeYaml(content)).value;
  } catch (error) {
    throw new KubewrightError('File', `cannot read ${what}: ${errorText(error)}`);
  }
}
