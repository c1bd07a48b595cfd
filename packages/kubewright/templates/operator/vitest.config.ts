import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests wait for events. This ends one that hangs: a busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
