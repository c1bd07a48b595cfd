import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { errorText } from '@kubewright/kube';
import { readDer, type DerValue } from './read-der.ts';

/** A PKCS #10 request whose signature fits its key: what of it is checked. */
type CertificateRequest = { readonly organizations: readonly string[] };

type PemBlock = { readonly type: string; readonly hasHeaders: boolean; readonly bytes: Buffer };

const [BEGIN, END] = [/^-----BEGIN (.*)-----\s*$/, /^-----END (.*)-----\s*$/];
const ORGANIZATION = '55040a';
const HASHES: ReadonlyMap<string, string | null> = new Map([
  // ecdsa-with-SHA256 and the longer ones, the same with RSA, and Ed25519, which has its own.
  ['2a8648ce3d040302', 'sha256'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  ['2a864886f70d01010b', 'sha256'],
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2b6570', null],
]);
const FAILURES: Readonly<Record<string, string>> = {
  ec: 'x509: ECDSA verification failure',
  rsa: 'crypto/rsa: verification error',
  ed25519: 'x509: Ed25519 verification failure',
};

/** Line by line, so that text with many beginnings and no end costs no more than other text of its length. */
function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { readonly type: string; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const begun = BEGIN.exec(line)?.[1];
    if (begun !== undefined) open = { type: begun, lines: [] };
    else if (open !== undefined && END.exec(line)?.[1] === open.type) {
      blocks.push(blockOf(open.type, open.lines));
      open = undefined;
    } else open?.lines.push(line);
  }
  return blocks;
}

function blockOf(type: string, lines: readonly string[]): PemBlock {
  const hasHeaders = lines[0]?.includes(':') === true;
  return { type, hasHeaders, bytes: Buffer.from(hasHeaders ? '' : lines.join(''), 'base64') };
}

/** Reads a request as `spec.request` has it, decoded. Throws with the text of Go where it is none, or not signed by its key. */
export function readCertificateRequest(pem: string): CertificateRequest {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST')
    throw new TypeError('PEM block type must be CERTIFICATE REQUEST');
  const { items } = readDer(block.bytes);
  const info = itemOf(items, 0);
  checkSignature({
    info,
    key: itemOf(info.items, 2),
    signature: itemOf(items, 2),
    algorithm: itemOf(itemOf(items, 1).items, 0).content.toString('hex'),
  });
  return { organizations: organizationsOf(itemOf(info.items, 1)) };
}

function itemOf(items: readonly DerValue[], index: number): DerValue {
  const item = items[index];
  if (item === undefined) throw new TypeError('asn1: structure error: sequence truncated');
  return item;
}

type Signed = Readonly<Record<'info' | 'key' | 'signature', DerValue>> & { readonly algorithm: string };

function checkSignature({ info, key, signature, algorithm }: Signed): void {
  const hash = HASHES.get(algorithm);
  if (hash === undefined) throw new TypeError('x509: cannot verify signature: algorithm unimplemented');
  const publicKey = createPublicKey({ key: key.whole, format: 'der', type: 'spki' });
  // The first byte of the bits says how many of the last one are unused: none.
  if (verify(hash, info.whole, publicKey, signature.content.subarray(1))) return;
  throw new TypeError(FAILURES[publicKey.asymmetricKeyType ?? ''] ?? 'x509: verification failure');
}

function organizationsOf(subject: DerValue): readonly string[] {
  return subject.items
    .flatMap(({ items }) => items)
    .flatMap(({ items: [type, value] }) =>
      type?.content.toString('hex') === ORGANIZATION && value !== undefined ? [value.content.toString()] : [],
    );
}

/** What is wrong with a chain of certificates, in Go's words; undefined where nothing is. */
export function certificateProblem(pem: string): string | undefined {
  const blocks = pemBlocks(pem);
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  return blocks.map(blockProblem).find((problem) => problem !== undefined);
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (hasHeaders) return 'no PEM block headers are permitted';
  if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
  if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
  return isCertificate(bytes) ? undefined : 'x509: malformed certificate';
}

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}

/** What is wrong with a request, in Go's words; undefined where nothing is. */
export function requestProblem(pem: string): string | undefined {
  try {
    readCertificateRequest(pem);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
