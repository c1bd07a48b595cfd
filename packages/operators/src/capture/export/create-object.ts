import { createHash } from 'node:crypto';
import { OperatorError } from '../../operator-error.ts';
import type { S3Client } from './s3-client.ts';
import { s3Failure } from './s3-failure.ts';
import type { S3Response } from './s3-response.ts';

/** Codes of stores that do not know the condition, and say so. */
const UNKNOWN_CONDITION = [400, 501];

/** An object of a bucket. `title`: what errors call it. */
export type S3Target = { readonly key: string; readonly title: string };

export async function getObject(client: S3Client, { key }: S3Target): Promise<Buffer> {
  const response = await client.send({ method: 'GET', key });
  if (!response.ok) throw s3Failure(client.title, response);
  return response.content;
}

export async function putObject(client: S3Client, target: S3Target, content: string): Promise<void> {
  const response = await put(client, target, content);
  if (!response.ok) throw notWritten(client, target, response);
}

/** False where there is another one; a store that does not know the condition overwrites that. */
export async function createObject(client: S3Client, target: S3Target, content: string): Promise<boolean> {
  const response = await put(client, target, content, { 'if-none-match': '*' });
  if (response.ok) return true;
  // An attempt whose response was lost may have created it.
  if (response.status === 412) return (await getObject(client, target)).equals(Buffer.from(content));
  if (!UNKNOWN_CONDITION.includes(response.status)) throw notWritten(client, target, response);
  await putObject(client, target, content);
  return true;
}

export async function deleteObject(client: S3Client, { key, title }: S3Target): Promise<void> {
  const response = await client.send({ method: 'DELETE', key });
  if (response.ok || response.status === 404) return;
  throw s3Failure(`${title} cannot be removed from ${client.title}`, response);
}

async function put(
  client: S3Client,
  target: S3Target,
  content: string,
  condition: Readonly<Record<string, string>> = {},
): Promise<S3Response> {
  const md5 = createHash('md5').update(content);
  const headers = {
    ...condition,
    // Each store checks one of them, and buckets with Object Lock want one.
    'content-md5': md5.copy().digest('base64'),
    'x-amz-checksum-sha256': createHash('sha256').update(content).digest('base64'),
  };
  const response = await client.send({ method: 'PUT', key: target.key, headers, body: content });
  if (response.ok && response.header('etag')?.replaceAll('"', '') !== md5.digest('hex'))
    await compareStored(client, target, content);
  return response;
}

/** For stores that check nothing: the ETag is the MD5 of what they got, unless they encrypt it. */
async function compareStored(client: S3Client, target: S3Target, content: string): Promise<void> {
  if ((await getObject(client, target)).equals(Buffer.from(content))) return;
  const message = `${target.title} was damaged on the way to ${client.title}; try again`;
  throw new OperatorError('Failed', message);
}

function notWritten(client: S3Client, { title }: S3Target, response: S3Response): OperatorError {
  return s3Failure(`${title} cannot be written to ${client.title}`, response);
}
