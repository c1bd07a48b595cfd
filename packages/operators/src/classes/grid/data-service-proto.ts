/** The calls of ODGM's `oprc.DataService` that say how it is. */
export const dataServiceProto = `
syntax = "proto3";
package oprc;

service DataService {
  rpc Stats(StatsRequest) returns (StatsResponse);
  rpc Capabilities(CapabilitiesRequest) returns (CapabilitiesResponse);
}

message StatsRequest {}

message StatsResponse {
  repeated ShardStats shards = 1;
}

message ShardStats {
  string collection = 1;
  uint32 partition_id = 2;
  uint64 shard_id = 3;
  uint64 count = 4;
}

message CapabilitiesRequest {}

message CapabilitiesResponse {}
`;
