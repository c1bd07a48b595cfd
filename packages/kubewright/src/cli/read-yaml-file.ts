import { readFile } from 'node:fs/promises';
import { errorText, type Json } from '@kubewright/kube';
import { parse } from 'yaml';
import { KubewrightError } from '../kubewright-error.ts';

/** Reads a file that a command needs; `what` names it in the error. */
export async function readYamlFile(file: string, what: string): Promise<Json> {
  try {
    return parse(await readFile(file, 'utf8')) as Json;
  } catch (error) {
    throw new KubewrightError('File', `cannot read ${what}: ${errorText(error)}`, { cause: error });
  }
}
