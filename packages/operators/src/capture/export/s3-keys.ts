import { OperatorError } from '../../operator-error.ts';
import type { S3Client } from './s3-client.ts';
import { s3Failure } from './s3-failure.ts';
import { textOf, textsOf } from './xml-texts.ts';

/** Each has a thousand keys, as servers send them. */
const MOST_PAGES = 10_000;

/** The keys under a prefix, in the order of the server. */
export async function* s3Keys(client: S3Client, prefix: string): AsyncGenerator<string, void> {
  let token: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
    const response = await client.send({ method: 'GET', query });
    if (!response.ok) throw s3Failure(client.title, response);
    const page = response.content.toString();
    yield* textsOf(page, 'Key');
    const next = nextToken(page);
    if (next === undefined) return;
    if (next === '' || next === token) throw endless(client);
    token = next;
  }
  throw endless(client);
}

/** Empty where the list goes on, and the server does not say where. */
function nextToken(page: string): string | undefined {
  const token = textOf(page, 'NextContinuationToken');
  if (textOf(page, 'IsTruncated') === 'true') return token ?? '';
  return token;
}

function endless({ title }: S3Client): OperatorError {
  const message = `${title}: the server does not list its objects to the end; what is there is not known`;
  return new OperatorError('Failed', message);
}
