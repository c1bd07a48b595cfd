import type { Environment } from '../../kit/operator.ts';
import { sha256 } from '../requests/names.ts';
import type { ExportFolder } from './export-folder.ts';
import { LARGEST_FILE } from './format-of.ts';
import { s3Client, type S3Client } from './s3-client.ts';
import { s3Failure } from './s3-failure.ts';
import type { S3Limits } from './s3-response.ts';
import { s3Place } from './s3-place.ts';
import { textOf, textsOf } from './xml-texts.ts';

/** The objects under a prefix of a bucket. Two exports into one prefix at the same time are not kept apart. */
export function s3Folder(source: string, env: Environment, limits: S3Limits = {}): ExportFolder {
  const { bucket, prefix } = s3Place(source);
  const client = s3Client(bucket, env, limits);
  const title = (path: string): string => `s3://${bucket}/${prefix}${path}`;
  return {
    title,
    async read(path) {
      const response = await client.send({ key: `${prefix}${path}` });
      if (!response.ok) throw await s3Failure(client.title, response);
      return response.content(LARGEST_FILE);
    },
    async write({ path, content }) {
      const put = { content, sha256: sha256(content) };
      const response = await client.send({ key: `${prefix}${path}`, put });
      if (!response.ok)
        throw await s3Failure(`${title(path)} cannot be written to ${client.title}`, response);
      await response.discard();
    },
    list: () => pathsIn(client, prefix),
  };
}

async function* pathsIn(client: S3Client, prefix: string): AsyncGenerator<string, void> {
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query = { 'list-type': '2', prefix, ...(token !== '' && { 'continuation-token': token }) };
    const response = await client.send({ query });
    if (!response.ok) throw await s3Failure(client.title, response);
    const page = (await response.content(LARGEST_FILE)).toString();
    for (const key of textsOf(page, 'Key')) yield key.slice(prefix.length);
    token = textOf(page, 'NextContinuationToken');
  }
}
