import { Counter, Gauge, type Registry } from 'prom-client';
import type { LeaderElection } from './leader-election.ts';

/** Runs the election as {@link LeaderElection.run} does. */
export type Lead = LeaderElection['run'];

/** The election, with client-go's metrics: 1 for the leader, 0 for standbys, and the number of slow renewals. */
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
  const slow = new Counter({
    name: 'leader_election_slowpath_total',
    help: 'How often the leader had to read its Lease again to renew it',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ name }, election.slowPaths());
    },
  });
  slow.inc({ name }, 0);
  return (signal, onLeading) => election.run(signal, onLeading);
}
