-- Seal a turn: freeze its ballots from the deadline on. Idempotent.
-- KEYS: box, ballots.
-- ARGV: version, epoch, opens_at and closes_at of the caller, and the rest as in place.lua.
-- Returns {0} if the box is missing, incomplete, an older copy of itself or of an older epoch; {1, closes_at} if it is
--   too early; or {2, time at which it was first sealed, {voter, ballot, voter, ballot, ...}}.
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
local sealed_at = box[3] == '1' and tonumber(box[6]) or now
redis.call('HSET', KEYS[1], 'sealed', 1, 'sealed_at', sealed_at)
return { 2, sealed_at, redis.call('HGETALL', KEYS[2]) }
