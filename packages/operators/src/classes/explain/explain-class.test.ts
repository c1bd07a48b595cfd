import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsFor } from '../settings.ts';
import { render } from '../templates/render.ts';
import { at, childrenOf, classOf, SETTINGS, statusOf, waitingPod } from '../testing/class-bench.ts';
import { enforcedClass, loadFor, look } from '../testing/enforcement-bench.ts';
import type { ObservedClass } from '../decide/observed-class.ts';
import { describeClass } from './describe-class.ts';
import { explainClass } from './explain-class.ts';
import { phasesMermaid, tableLines, tableMarkdown } from './table-lines.ts';

const plain = (_style: string, text: string): string => text;
const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README has the table and the phases as they are', () => {
  expect(README).toContain(tableMarkdown());
  expect(README).toContain(phasesMermaid());
});

test('the table is a screenful, and points at the row that holds', () => {
  const lines = tableLines(4);
  expect(lines).toHaveLength(20);
  expect(lines.filter((line) => line.startsWith('>'))).toEqual([lines[4]]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(170);
});

test('why a class is degraded, and when it is checked again', () => {
  const bare = classOf();
  const runtime = { ...bare, status: statusOf(bare, 'degraded', 'CrashLoop', 10) };
  const observed: ObservedClass = {
    runtime,
    settings: SETTINGS,
    rendered: render(runtime, SETTINGS),
    live: childrenOf(bare, { hello: 0 }),
    pods: [waitingPod(bare, 'CrashLoopBackOff', { restartCount: 4 })],
  };
  const explanation = explainClass(observed, at(90));
  expect(explanation).toMatchObject({ phase: 'degraded', reason: 'CrashLoop', inPhase: 80, row: 10 });
  expect(explanation.next).toEqual({ seconds: 20, why: 'the row is checked again' });
  const text = describeClass(runtime, explanation, plain);
  expect(text).toContain('because of row 11: something is wrong for long enough');
  expect(text).toContain('next check: in 20 s');
  expect(text).toContain('until: what is wrong is over, or the class changes');
  expect(text).toContain('not ready: Deployment/hello Unavailable 0/1 available');
  expect(text).toContain('> 11  something is wrong for long enough');
});

test('what will be wrong if it lasts', () => {
  const bare = classOf();
  const runtime = { ...bare, status: statusOf(bare, 'progressing', 'Progressing', 0) };
  const pods = [waitingPod(bare, 'ImagePullBackOff')];
  const live = childrenOf(bare, { hello: 0 });
  const observed = { runtime, settings: SETTINGS, rendered: render(runtime, SETTINGS), live, pods };
  const text = describeClass(runtime, explainClass(observed, at(20)), plain);
  expect(text).toContain('in 40 s it is ImagePull: Pod hello-1: ImagePullBackOff');
});

test('what a recommendation waits for', () => {
  const begun = enforcedClass();
  const { runtime, live } = look(begun, 0, loadFor(begun, 3, 0));
  const settings = settingsFor(SETTINGS, runtime);
  const observed = { runtime, settings, rendered: render(runtime, settings), live, pods: [] };
  const explanation = explainClass(observed, at(60));
  expect(explanation.next).toEqual({ seconds: 120, why: 'the stability window of main' });
  expect(describeClass(runtime, explanation, plain)).toContain(
    '1 replicas, recommended 3 by cpu: WaitStability',
  );
});

test('text from the cluster cannot move the cursor', () => {
  const bare = classOf();
  const status = { ...statusOf(bare, 'degraded', 'CrashLoop', 0), message: '\u001b[2J gone' };
  const runtime = { ...bare, status };
  const observed = {
    runtime,
    settings: SETTINGS,
    rendered: render(bare, SETTINGS),
    live: childrenOf(bare),
    pods: [],
  };
  expect(describeClass(runtime, explainClass(observed, at(1)), plain)).not.toContain('\u001b');
});
