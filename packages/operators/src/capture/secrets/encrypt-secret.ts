import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import {
  canonicalJson,
  defined,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  parseJson,
} from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { textIn } from '../restore/text-in.ts';
import type { CaptureKey, KeyRing } from './key-ring.ts';

/** The field of a captured Secret that holds its values. A Secret of the API has no such field. */
const ENCRYPTED = 'encryptedData';
/** `kubectl apply` stores a second copy of the Secret in it. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const ALGORITHM = 'AES-256-GCM';
const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, TAG_BYTES] = [32, 16];
/** Each key is used for one message, so that its nonce may be the same for all. */
const NONCE = Buffer.alloc(12);
/** What the two keys that are derived from one are for. */
const [FOR_SALT, FOR_DATA] = ['kubewright capture salt v1', 'kubewright capture data v1'];

/**
 * A Secret without its values, and with their ciphertext. The same Secret under the same key has the same ciphertext: a
 * capture that is resumed has to find what it planned. So nothing in it is random; the key of each message is derived
 * from a salt, which is the HMAC of all that the message contains and says about itself.
 */
export function encryptSecret(secret: KubeObject, { id, secret: key }: CaptureKey): KubeObject {
  const { data, stringData, metadata, ...rest } = secret;
  const { [LAST_APPLIED]: lastApplied, ...annotations } = metadata.annotations ?? {};
  const plain = Buffer.from(canonicalJson(defined({ data, stringData, lastApplied }) as JsonObject));
  const about = aboutOf(secret);
  const authenticated = authenticatedOf(id, about);
  const salt = createHmac('sha256', derived(key, Buffer.alloc(0), FOR_SALT))
    .update(`${authenticated.length}:`)
    .update(authenticated)
    .update(plain)
    .digest();
  const cipher = createCipheriv(CIPHER, derived(key, salt, FOR_DATA), NONCE).setAAD(authenticated);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return {
    ...rest,
    metadata: metadata.annotations === undefined ? metadata : { ...metadata, annotations },
    [ENCRYPTED]: {
      algorithm: ALGORITHM,
      keyID: id,
      source: about,
      salt: salt.toString('base64'),
      ciphertext: ciphertext.toString('base64'),
    },
  };
}

export function isEncrypted(object: JsonObject): boolean {
  return object['apiVersion'] === 'v1' && object['kind'] === 'Secret' && isJsonObject(object[ENCRYPTED]);
}

/** A captured object as it was; rejects where its key is not in the ring, or where it was changed or moved. */
export function decryptSecret(object: JsonObject, ring: KeyRing | undefined): JsonObject {
  if (!isEncrypted(object)) return object;
  const { [ENCRYPTED]: envelope, metadata, ...rest } = object;
  const { keyID, source, salt, ciphertext } = fieldsOf(envelope);
  const name = isJsonObject(metadata) ? textIn(metadata, 'name') : '';
  const key = ring?.find(({ id }) => id === keyID)?.secret;
  if (key === undefined)
    throw new OperatorError(
      'Usage',
      `Secret ${name} is encrypted with key ${keyID}: --key-file names a file that has it`,
    );
  const isItsOwn = source['name'] === name && source['type'] === textIn(object, 'type');
  const authenticated = authenticatedOf(keyID, source);
  const plain = isItsOwn ? opened(derived(key, salt, FOR_DATA), authenticated, ciphertext) : undefined;
  if (plain === undefined)
    throw new OperatorError('Failed', `Secret ${name} is not what was encrypted, or its key is another one`);
  const { lastApplied, ...values } = parseJson(plain) as JsonObject;
  return { ...rest, ...values, metadata: withLastApplied(metadata ?? {}, lastApplied) };
}

function fieldsOf(envelope: Json | undefined) {
  const fields = isJsonObject(envelope) ? envelope : {};
  const bytesIn = (field: string): Buffer => Buffer.from(textIn(fields, field), 'base64');
  const source = getOwn(fields, 'source');
  return {
    keyID: textIn(fields, 'keyID'),
    source: isJsonObject(source) ? source : {},
    salt: bytesIn('salt'),
    ciphertext: bytesIn('ciphertext'),
  };
}

function withLastApplied(metadata: Json, lastApplied: Json | undefined): Json {
  if (lastApplied === undefined || !isJsonObject(metadata)) return metadata;
  const annotations = metadata['annotations'];
  const others = isJsonObject(annotations) ? annotations : {};
  return { ...metadata, annotations: { ...others, [LAST_APPLIED]: lastApplied } };
}

/** Which Secret it was. Restored elsewhere, it has another namespace and uid, but its name and type. */
function aboutOf({ metadata, type }: KubeObject): JsonObject {
  const { namespace, name, uid, resourceVersion } = metadata as Readonly<Record<string, Json | undefined>>;
  return defined({ namespace, name, uid, resourceVersion, type: typeof type === 'string' ? type : '' });
}

function authenticatedOf(keyID: string, source: JsonObject): Buffer {
  return Buffer.from(canonicalJson({ algorithm: ALGORITHM, keyID, source }));
}

function derived(key: CaptureKey['secret'], salt: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, KEY_BYTES));
}

function opened(key: Buffer, authenticated: Buffer, ciphertext: Buffer): Buffer | undefined {
  if (ciphertext.length < TAG_BYTES) return undefined;
  const end = ciphertext.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, NONCE).setAAD(authenticated);
  decipher.setAuthTag(ciphertext.subarray(end));
  try {
    return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
