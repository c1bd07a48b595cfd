import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, isJsonObject, type Json } from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';
import type { SentRequest } from './access-rules.ts';

/** The requests that tests have recorded, of a file, or of all files of a folder. */
export function readRequests(path: string): readonly SentRequest[] {
  try {
    const files = statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith('.json'))
          .map((name) => join(path, name))
      : [path];
    return files.flatMap((file) => requestsIn(JSON.parse(readFileSync(file, 'utf8')) as Json, file));
  } catch (error) {
    throw new KubewrightError('File', `cannot read requests: ${errorText(error)}`, { cause: error });
  }
}

function requestsIn(value: Json, file: string): readonly SentRequest[] {
  if (!Array.isArray(value)) throw new KubewrightError('File', `${file} is no list`);
  return value.map((one: Json) => {
    const { method, path, status } = isJsonObject(one) ? one : {};
    if (typeof method === 'string' && typeof path === 'string' && typeof status === 'number')
      return { method, path, status };
    throw new KubewrightError('File', `${file} is no list of requests with method, path and status`);
  });
}
