import { Gauge, type Registry } from 'prom-client';
import type { LeaderElection } from './leader-election.ts';

/** Competes as {@link LeaderElection.run} does. */
export type Lead = LeaderElection['run'];

/** The election, with client-go's metric: 1 for the leader, 0 for those who wait. */
export function leadWith(election: LeaderElection, registry: Registry): Lead {
  const { name } = election;
  const gauge = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process holds the Lease: 0 is standby, 1 is leader',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      this.set({ name }, election.term() === undefined ? 0 : 1);
    },
  });
  gauge.set({ name }, 0);
  return (signal, onLeading) => election.run(signal, onLeading);
}
