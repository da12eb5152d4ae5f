-- Count the ballots of a shard other than the first, whose heartbeat is `heartbeat.lua`.
-- KEYS: box.
-- ARGV: epoch; gateway; number of arrivals last acknowledged to this gateway in this epoch.
-- Returns {red's ballots, yellow's ballots, ballots that were changed}.
-- A box that acknowledged more arrivals than it remembers is an older copy of itself and is marked as lost.
local box = redis.call('HMGET', KEYS[1], 'red', 'yellow', 'arrivals', 'epoch', 'acks:' .. ARGV[2])
if tonumber(box[4] or 0) == tonumber(ARGV[1]) and tonumber(box[5] or 0) < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'older', 1)
end
local red, yellow = tonumber(box[1] or 0), tonumber(box[2] or 0)
return { red, yellow, math.max(0, tonumber(box[3] or 0) - red - yellow) }
