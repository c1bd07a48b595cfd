import { failed } from '../failed.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `string(bytes)`. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw failed('invalid UTF-8 in bytes, cannot convert to string');
  }
}
