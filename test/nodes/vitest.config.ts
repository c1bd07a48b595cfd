import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@kubewright/source'] },
  ssr: { resolve: { conditions: ['@kubewright/source'], externalConditions: ['@kubewright/source'] } },
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/nodes/**/*.test.ts'],
    // One after the other: each has nodes of its own, in the only network that there is.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
