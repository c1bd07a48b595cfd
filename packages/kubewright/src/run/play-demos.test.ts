import { createApiServer } from '@kubewright/apiserver';
import type { Operator } from '@kubewright/operators';
import { expect, test } from 'vitest';
import { useTerminal } from '../cli/testing/use-terminal.ts';
import { KubewrightError } from '../kubewright-error.ts';
import { playDemo, playDemos } from './play-demos.ts';

const terminal = useTerminal();

function operator(name: string, play?: () => Promise<void>): Operator {
  const demo = play && { title: 'what it is for', next: [], play };
  return { name, summary: name, load: () => expect.fail('not run'), ...(demo && { demo }) };
}

const failing = operator('sad', () => Promise.reject(new KubewrightError('NotFound', 'nothing came')));

test('a demo that fails is reported, and does not end the others', async () => {
  const server = createApiServer();
  const played: string[] = [];
  const glad = operator('glad', async () => void played.push('glad'));
  await playDemos([failing, operator('silent'), glad], server.transport(), terminal().terminal);
  expect(played).toEqual(['glad']);
  expect(terminal().err).toBe('kubewright: the demo of sad failed: nothing came\n');
  expect(terminal().out).toBe('\nsad: what it is for\n\nglad: what it is for\n');
  await expect(playDemo(failing, server.transport(), terminal().terminal)).rejects.toMatchObject({
    code: 'Failed',
  });
  await server.close();
});

test('after an interruption none is played, and nothing is reported', async () => {
  const server = createApiServer();
  const { interrupt } = terminal();
  const interrupted = operator('first', async () => interrupt());
  await playDemos([interrupted, failing], server.transport(), terminal().terminal);
  expect(terminal().out).not.toContain('sad');
  expect(terminal().err).toBe('');
  await server.close();
});
