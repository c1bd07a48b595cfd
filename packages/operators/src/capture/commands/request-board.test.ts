import { expect, test } from 'vitest';
import { requestBoard } from './request-board.ts';

function board(total: number) {
  const seen: string[] = [];
  const stage = {
    out: (text: string) => void seen.push(`out ${text.trimEnd()}`),
    progress: (line: string) => void seen.push(`progress ${line}`.trimEnd()),
  };
  return { seen, ...requestBoard(stage, total) };
}

test('CAP-241 a change is a line of its own, on a terminal too, and then it shows again what is waited for', () => {
  const { seen, show, done } = board(1);
  show('VolumeCaptureRequest a', 'waiting for the operator');
  show('VolumeCaptureRequest a', 'waiting for the operator');
  show('VolumeCaptureRequest a', 'in progress: the snapshot is not ready');
  done('VolumeCaptureRequest a');
  expect(seen).toEqual([
    'progress',
    'out VolumeCaptureRequest a: waiting for the operator',
    'progress VolumeCaptureRequest a: waiting for the operator',
    'progress VolumeCaptureRequest a: waiting for the operator',
    'progress',
    'out VolumeCaptureRequest a: in progress: the snapshot is not ready',
    'progress VolumeCaptureRequest a: in progress: the snapshot is not ready',
    'progress',
  ]);
});

test('CAP-241 of several requests it shows how many are done, and one that is not', () => {
  const { seen, show, done } = board(2);
  show('a', 'in progress');
  show('b', 'in progress');
  done('a');
  done('b');
  expect(seen.filter((line) => line.startsWith('progress'))).toEqual([
    'progress',
    'progress 0 of 2 requests are done; waiting for a: in progress',
    'progress',
    'progress 0 of 2 requests are done; waiting for a: in progress',
    'progress 1 of 2 requests are done; waiting for b: in progress',
    'progress',
  ]);
});
