import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { areBuilt, builtPackages, OUTPUT } from './test/support/built-packages.ts';
import { isLong } from './test/support/seeds.ts';
import { SlowFilesFirst } from './test/support/slow-files-first.ts';

const FROM_SOURCES = {
  resolve: { conditions: ['@kubewright/source'] },
  ssr: { resolve: { conditions: ['@kubewright/source'], externalConditions: ['@kubewright/source'] } },
};

export default defineConfig({
  ...(areBuilt ? { plugins: [builtPackages()] } : FROM_SOURCES),
  test: {
    server: { deps: { external: [OUTPUT] } },
    include: [
      'packages/*/src/**/*.test.ts',
      'test/**/*.test.ts',
      'examples/**/*.test.ts',
      'packages/*/templates/**/*.test.ts',
    ],
    // They need root, and namespaces of their own: npm run test:nodes.
    exclude: ['**/node_modules/**', 'test/nodes/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    // More than a small machine has processors: suites wait for servers much of the time, but in the long run they compute.
    maxWorkers: Math.max(isLong ? 3 : 5, availableParallelism() - 1),
    // No module keeps what a test may change, and to load them all anew for each file takes longer than most files.
    isolate: false,
    sequence: { sequencer: SlowFilesFirst },
    // Worlds make much garbage that is soon dead: a larger young generation collects it a tenth faster.
    execArgv: ['--max-semi-space-size=64'],
    // Tests wait for events. These end one that hangs: a busy machine, which takes ten times as long, is no failure.
    testTimeout: isLong ? 1_800_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
