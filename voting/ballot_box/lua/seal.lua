-- Seal a turn: freeze its ballots from the deadline on. Idempotent.
-- KEYS: box, ballots, voters whose ballots arrived after a prefetch.
-- ARGV: version, epoch, opens_at and closes_at of the caller, and the rest as in place.lua; token of the caller's
--   prefetch, or ''; number of ballots from which on the caller reads them in batches; how many of the voters in the
--   last key the caller has read since its prefetch.
-- Returns {0} if the box is missing, incomplete, an older copy of itself or of an older epoch; {1, closes_at} if it is
--   too early; or {2, time at which it was first sealed, {voter, ballot, voter, ballot, ...}}; or {3, the same time,
--   only the ballots that the caller has not read, number of all ballots} if the box still knows the prefetch and all
--   arrivals after it; or {4, the same time, number of ballots}, which the caller reads, since all at once would block
--   other events; or {5, the same time, number of ballots} if it needs to read only those that it has not read yet.
local box = redis.call('HMGET', KEYS[1], 'version', 'closes_at', 'sealed', 'red', 'yellow', 'sealed_at',
  'older', 'epoch')
if not box[1] or box[7] or tonumber(box[8] or 0) < tonumber(ARGV[2])
    or redis.call('HLEN', KEYS[2]) ~= tonumber(box[4] or 0) + tonumber(box[5] or 0) then
  return { 0 }
end
if tonumber(box[1]) < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'version', ARGV[1], 'epoch', ARGV[2], 'opens_at', ARGV[3],
    'closes_at', ARGV[4], 'sealed', 0)
  if ARGV[5] ~= '0' or ARGV[6] ~= '0' then
    redis.call('HSET', KEYS[1], 'red_ends_at', ARGV[5], 'yellow_ends_at', ARGV[6])
  end
  box = { ARGV[1], ARGV[4], '0' }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if box[3] ~= '1' and now < tonumber(box[2]) then
  return { 1, tonumber(box[2]) }
end
local held = redis.call('HLEN', KEYS[2])
local sealed_at = box[3] == '1' and tonumber(box[6]) or now
redis.call('HSET', KEYS[1], 'sealed', 1, 'sealed_at', sealed_at)
if ARGV[8] ~= '' then
  local known = redis.call('HMGET', KEYS[1], 'prefetch', 'prefetched', 'arrivals')
  local count, read = redis.call('LLEN', KEYS[3]), tonumber(ARGV[10])
  if known[1] == ARGV[8] and read <= count and tonumber(known[2]) + count == tonumber(known[3] or 0) then
    if count - read > tonumber(ARGV[9]) then
      return { 5, sealed_at, held }
    end
    local after, seen = {}, {}
    for _, voter in ipairs(redis.call('LRANGE', KEYS[3], read, -1)) do
      if not seen[voter] then
        seen[voter] = true
        after[#after + 1] = voter
        after[#after + 1] = redis.call('HGET', KEYS[2], voter)
      end
    end
    return { 3, sealed_at, after, held }
  end
end
if held > tonumber(ARGV[9]) then
  return { 4, sealed_at, held }
end
return { 2, sealed_at, redis.call('HGETALL', KEYS[2]) }
