import { ApiError } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { configMap } from '../testing/objects.ts';
import { type ReflectorInput, type ReflectorState, transition } from './reflector-state.ts';

const status = (code: number, reason: string) =>
  ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason }) as const;
const error = (code: number, reason: string): ApiError => new ApiError(status(code, reason));

const empty: ReflectorState = { type: 'Empty', failures: 0 };
const listing: ReflectorState = { type: 'Listing', continue: 'next', failures: 0 };
const watching: ReflectorState = { type: 'Watching', resourceVersion: '7', failures: 0, heard: false };
const heard: ReflectorState = { ...watching, heard: true };
const a = configMap('a', '8');

const page = (more: object = {}): ReflectorInput => ({
  type: 'Page',
  page: { items: [a], resourceVersion: '7', ...more },
});
const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'): ReflectorInput => ({
  type: 'Event',
  event: { type, object: a },
});
const failed = (code: number, reason: string): ReflectorInput => ({
  type: 'Failed',
  error: error(code, reason),
});

describe('transition: from, what happens, to, what is emitted', () => {
  it.each<[string, ReflectorState, ReflectorInput, Partial<ReflectorState> | object, readonly string[]]>([
    ['the only page', empty, page(), watching, ['Restarted', 'Listed', 'Synced']],
    ['the first of several pages', empty, page({ continue: 'next' }), listing, ['Restarted', 'Listed']],
    ['a page between', listing, page({ continue: 'more' }), { ...listing, continue: 'more' }, ['Listed']],
    ['the last page', listing, page(), watching, ['Listed', 'Synced']],
    ['an addition', watching, event('ADDED'), { ...heard, resourceVersion: '8' }, ['Applied']],
    ['a change', watching, event('MODIFIED'), { ...heard, resourceVersion: '8' }, ['Applied']],
    ['a deletion', watching, event('DELETED'), { ...heard, resourceVersion: '8' }, ['Deleted']],
    ['a bookmark', watching, event('BOOKMARK'), { ...heard, resourceVersion: '8' }, ['Bookmarked']],
    ['the end of a watch that spoke: on at once', heard, { type: 'Ended' }, watching, []],
    [
      'the end of a watch that said nothing: on, but not at once',
      watching,
      { type: 'Ended' },
      { type: 'Waiting', failures: 1, resume: watching },
      [],
    ],
    [
      'a broken connection: wait, then resume from the same version',
      heard,
      failed(0, 'ConnectionFailed'),
      { type: 'Waiting', failures: 1, resume: watching },
      [],
    ],
    [
      'an overloaded server: the same',
      watching,
      failed(429, 'TooManyRequests'),
      { type: 'Waiting', failures: 1, resume: watching },
      [],
    ],
    [
      'a watch that is forbidden for now: the same',
      watching,
      failed(403, 'Forbidden'),
      { type: 'Waiting', failures: 1, resume: watching },
      [],
    ],
    [
      'a version that is too old: list again',
      watching,
      failed(410, 'Expired'),
      { type: 'Waiting', failures: 1, resume: empty },
      [],
    ],
    [
      'a version that is too old, told within the stream',
      heard,
      { type: 'Event', event: { type: 'ERROR', status: status(410, 'Expired') } },
      { type: 'Waiting', failures: 1, resume: empty },
      [],
    ],
    [
      'an answer that makes no sense: list again',
      heard,
      failed(0, 'InvalidResponse'),
      { type: 'Waiting', failures: 1, resume: empty },
      [],
    ],
    [
      'a page token that is too old: the list begins anew',
      listing,
      failed(410, 'Expired'),
      { type: 'Waiting', failures: 1, resume: empty },
      [],
    ],
    [
      'a page that did not come: asked for again',
      listing,
      failed(503, 'ServiceUnavailable'),
      { type: 'Waiting', failures: 1, resume: listing },
      [],
    ],
    [
      'the end of a wait keeps the count of failures',
      { type: 'Waiting', failures: 3, resume: watching },
      { type: 'Waited' },
      { ...watching, failures: 3 },
      [],
    ],
    [
      'a list that works does not forgive a watch that never does',
      { ...empty, failures: 3 },
      page(),
      { ...watching, failures: 3 },
      ['Restarted', 'Listed', 'Synced'],
    ],
    [
      'an event does',
      { ...watching, failures: 3 },
      event('BOOKMARK'),
      { ...heard, resourceVersion: '8' },
      ['Bookmarked'],
    ],
  ])('%s', (_title, from, input, to, emitted) => {
    const { state, events } = transition(from, input);
    expect(state).toMatchObject(to);
    expect(events.map(({ type }) => type)).toEqual(emitted);
  });
});
