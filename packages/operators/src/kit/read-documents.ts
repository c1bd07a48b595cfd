import { type InputOptions, readInput } from '@kubewright/client';
import { errorText, type Json } from '@kubewright/kube';
import { decodeYaml, parseYamlStream } from '@kubewright/kube/yaml';
import { OperatorError } from '../operator-error.ts';

/**
 * The documents of a file of YAML or JSON, as kubectl reads it; `-` is standard input. Throws OperatorError `Usage` for
 * one that cannot be read.
 */
export async function readDocuments(file: string, options: InputOptions = {}): Promise<readonly Json[]> {
  return parseDocuments(decodeYaml(await readNamed(file, options)), file);
}

/** The content of a file that a user names, see `readInput`. Throws OperatorError `Usage` for what cannot be read. */
export async function readNamed(file: string, options: InputOptions): Promise<Buffer> {
  try {
    return await readInput(file, options);
  } catch (error) {
    throw new OperatorError('Usage', `cannot read ${file}: ${errorText(error)}`);
  }
}

/**
 * The documents of a text of YAML or JSON that are not null; the text comes from `source`. Throws OperatorError `Usage` for what
 * kubectl would not read.
 */
export function parseDocuments(content: string, source: string, maxValues?: number): readonly Json[] {
  try {
    return parseYamlStream(content, maxValues);
  } catch (error) {
    throw new OperatorError('Usage', `${source}: ${errorText(error)}`);
  }
}
