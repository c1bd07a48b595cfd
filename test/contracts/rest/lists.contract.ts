import { beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, query } from '../../support/api.ts';
import { metaOf, namesIn, namespaceFor } from './namespace-for.ts';

/** Pages, revisions and selectors of lists. */
export function listsContract(server: () => TestServer): void {
  const { configMaps, create } = namespaceFor(server, 'lists');
  const list = (parameters: Readonly<Record<string, string>>): Promise<Answer> =>
    call(server().transport(), 'GET', `${configMaps}${query(parameters)}`);
  const revisionOf = ({ body }: Answer): string => String(metaOf(body).resourceVersion);
  let complete: Answer;

  beforeAll(async () => {
    await create('a', { labels: { tier: 'web' } });
    await create('b', { labels: { tier: 'db', app: 'shop' } });
    await create('c', { labels: { app: 'shop' } });
    await create('d', { labels: { tier: 'web', app: 'blog' } });
    await create('e');
    complete = await list({});
  });

  describe('pages', () => {
    it('tell how many remain and where to go on', async () => {
      const first = await list({ limit: '2' });
      expect(namesIn(first.body)).toEqual(['a', 'b']);
      expect(metaOf(first.body).remainingItemCount).toBe(3);
      const last = await list({ limit: '3', continue: String(metaOf(first.body).continue) });
      expect(namesIn(last.body)).toEqual(['c', 'd', 'e']);
      expect(metaOf(last.body).continue).toBeUndefined();
      expect(metaOf(last.body).remainingItemCount).toBeUndefined();
    });

    it('do not count what remains under a selector', async () => {
      const first = await list({ limit: '1', labelSelector: 'app=shop' });
      expect(namesIn(first.body)).toEqual(['b']);
      expect(metaOf(first.body).remainingItemCount).toBeUndefined();
      const next = await list({
        limit: '1',
        labelSelector: 'app=shop',
        continue: String(metaOf(first.body).continue),
      });
      expect(namesIn(next.body)).toEqual(['c']);
    });

    it('show one state, whatever is written between them', async () => {
      const first = await list({ limit: '2' });
      await create('between');
      await call(server().transport(), 'DELETE', `${configMaps}/e`);
      const next = await list({ continue: String(metaOf(first.body).continue) });
      expect(namesIn(next.body)).toEqual(['c', 'd', 'e']);
      expect(revisionOf(next)).toBe(revisionOf(first));
      expect(namesIn((await list({})).body)).toEqual(['a', 'b', 'between', 'c', 'd']);
      await call(server().transport(), 'DELETE', `${configMaps}/between`);
      await create('e');
    });

    it('refuse a token that they did not give', async () => {
      const { status, body } = await list({ continue: 'bm90aGluZw' });
      expect([status, body['reason']]).toEqual([400, 'BadRequest']);
      expect(body['message']).toContain('continue key is not valid');
    });
  });

  describe('revisions', () => {
    it('show a past state exactly', async () => {
      const then = await list({ resourceVersion: revisionOf(complete), resourceVersionMatch: 'Exact' });
      expect(namesIn(then.body)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(revisionOf(then)).toBe(revisionOf(complete));
    });

    it('show a state not older than one that is known', async () => {
      const made = await create('fresh');
      const since = String(made.metadata.resourceVersion);
      const now = await list({ resourceVersion: since, resourceVersionMatch: 'NotOlderThan' });
      expect(namesIn(now.body)).toContain('fresh');
      expect(Number(revisionOf(now))).toBeGreaterThanOrEqual(Number(since));
      await call(server().transport(), 'DELETE', `${configMaps}/fresh`);
    });

    it.each([
      [
        { resourceVersionMatch: 'Exact' },
        'resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
      [
        { resourceVersionMatch: 'Exact', resourceVersion: '0' },
        'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      [{ resourceVersionMatch: 'Never', resourceVersion: '1' }, 'supported values: "Exact", "NotOlderThan"'],
    ])('refuse %o', async (parameters: Readonly<Record<string, string>>, why) => {
      const { status, body } = await list(parameters);
      expect(status).toBe(422);
      expect(body['message']).toContain(why);
    });
  });

  describe('selectors', () => {
    it.each([
      ['tier=web', ['a', 'd']],
      ['tier!=web', ['b', 'c', 'e']],
      ['tier in (web,db),app', ['b', 'd']],
      ['app notin (shop)', ['a', 'd', 'e']],
      ['!tier', ['c', 'e']],
      ['tier,!app', ['a']],
      ['', ['a', 'b', 'c', 'd', 'e']],
    ])('choose by labels: %s', async (labelSelector, names) => {
      expect(namesIn((await list({ labelSelector })).body)).toEqual(names);
    });

    it.each([
      ['metadata.name=c', ['c']],
      ['metadata.name!=c', ['a', 'b', 'd', 'e']],
      ['metadata.name=c,metadata.name=d', []],
    ])('choose by fields: %s', async (fieldSelector, names) => {
      expect(namesIn((await list({ fieldSelector })).body)).toEqual(names);
    });

    it('refuse fields that are not for selecting', async () => {
      const { status, body } = await list({ fieldSelector: 'data.a=1' });
      expect(status).toBe(400);
      expect(body['message']).toContain('"data.a" is not a known field selector');
    });

    it('refuse what is no selector', async () => {
      const { status, body } = await list({ labelSelector: 'tier like web' });
      expect(status).toBe(400);
      expect(body['message']).toContain('unable to parse requirement');
    });
  });
}
