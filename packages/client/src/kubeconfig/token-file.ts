import { readFile } from 'node:fs/promises';
import { type Clock, errorText } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import type { Authorizer } from '../transport/transport-options.ts';

/** How often the file is read again: service-account tokens are rotated long before they expire. */
const READ_AGAIN_AFTER_MS = 60_000;

type Read = { readonly value: string; readonly at: number };

/**
 * A bearer token from a file that is rotated. While the file cannot be read, the last token stays in use: at first `before`, if
 * there is one.
 */
export function tokenFile(path: string, clock: Clock, before?: string): Authorizer {
  let last: Read | undefined;
  let reading: Promise<string> | undefined;

  const read = async (): Promise<string> => {
    try {
      const token = (await readFile(path, 'utf8')).trim();
      if (token === '') throw localError('InvalidConfig', 'it is empty');
      last = { value: `Bearer ${token}`, at: clock.monotonic() };
    } catch (error) {
      const message = `cannot read the token file ${path}: ${errorText(error)}`;
      if (last === undefined && before === undefined) throw localError('InvalidConfig', message, error);
    } finally {
      reading = undefined;
    }
    return last?.value ?? `Bearer ${before ?? ''}`;
  };

  return {
    header() {
      if (last !== undefined && clock.monotonic() - last.at < READ_AGAIN_AFTER_MS) return last.value;
      reading ??= read();
      return reading;
    },
    reset() {
      if (last !== undefined) last = { ...last, at: Number.NEGATIVE_INFINITY };
    },
  };
}
