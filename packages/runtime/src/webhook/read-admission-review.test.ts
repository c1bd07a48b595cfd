import { expect, test } from 'vitest';
import { readAdmissionReview } from './read-admission-review.ts';

function reviewOf(keys: number): Uint8Array {
  const data = Object.fromEntries(
    Array.from({ length: keys }, (_, index) => [`key-${index}`, 'x'.repeat(80)]),
  );
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' }, data };
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: '1', object },
  };
  return Buffer.from(JSON.stringify(review));
}

/** How often others had their turn until a review of so many keys was read. */
async function turnsWhile(keys: number): Promise<number> {
  let turns = 0;
  const othersFirst = async (): Promise<void> => void (turns += 1);
  const review = await readAdmissionReview(reviewOf(keys), othersFirst);
  expect(review).toMatchObject({ request: { uid: '1', object: { metadata: { name: 'large' } } } });
  return turns;
}

test('a review of 3 MB leaves others their turn many times while it is read', async () => {
  expect(await turnsWhile(30_000)).toBeGreaterThan(10);
});

test('a small review is read at once', async () => {
  expect(await turnsWhile(10)).toBe(0);
});

test('a large review whose caller has gone is not read to its end', async () => {
  let turns = 0;
  const gone = new TypeError('the caller has gone');
  const othersFirst = async (): Promise<void> => {
    turns += 1;
    if (turns === 3) throw gone;
  };
  await expect(readAdmissionReview(reviewOf(30_000), othersFirst)).rejects.toBe(gone);
  expect(turns).toBe(3);
});
