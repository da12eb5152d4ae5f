-- From now on record whose ballots arrive (see cast.lua, seal.lua), so that the caller can read the others in batches
-- before the deadline. A prefetch replaces an earlier one.
-- KEYS: box, ballots, voters whose ballots arrived after a prefetch.
-- ARGV: epoch of the caller, token of this prefetch.
-- Returns 1, or 0 if the box is missing, incomplete or of an older epoch.
local box = redis.call('HMGET', KEYS[1], 'epoch', 'red', 'yellow', 'older', 'arrivals')
if not box[1] or box[4] or tonumber(box[1]) < tonumber(ARGV[1])
    or redis.call('HLEN', KEYS[2]) ~= tonumber(box[2] or 0) + tonumber(box[3] or 0) then
  return 0
end
redis.call('HSET', KEYS[1], 'prefetch', ARGV[2], 'prefetched', box[5] or 0)
redis.call('DEL', KEYS[3])
return 1
