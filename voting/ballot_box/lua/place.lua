-- Put a turn's window into its box, unless the box knows a newer one.
-- KEYS: box, ballots.  ARGV: create (1 or 0), version, epoch, opens_at, closes_at, and in a match by clocks when
-- red and yellow run out of time, else 0.
-- A newer version unseals: no close with an older version can be committed any more. A box whose
-- ballots are not those it counted, or that was found to be an older copy of itself, is as good as none;
-- creating it counts those that are left, and remembers nothing of what gateways were told: one that was
-- told of ballots in the same epoch notices, one that hears of a new epoch begins anew.
-- Answers 1 placed or there already, 0 there is no such box.
local box = redis.call('HMGET', KEYS[1], 'version', 'red', 'yellow', 'older')
local held = redis.call('HLEN', KEYS[2])
local whole = box[1] and not box[4] and held == tonumber(box[2] or 0) + tonumber(box[3] or 0)
if not whole and ARGV[1] == '0' then
  return 0
end
if not whole then
  local left = { red = 0, yellow = 0 }
  for _, ballot in ipairs(redis.call('HVALS', KEYS[2])) do
    local side = string.match(ballot, '^"(%a+)"')
    left[side] = left[side] + 1
  end
  redis.call('HSET', KEYS[1], 'red', left.red, 'yellow', left.yellow)
  redis.call('HDEL', KEYS[1], 'older')
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 5) == 'acks:' then
      redis.call('HDEL', KEYS[1], field)
    end
  end
end
if not box[1] or tonumber(box[1]) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'epoch', ARGV[3], 'opens_at', ARGV[4],
    'closes_at', ARGV[5], 'sealed', 0)
  if ARGV[6] ~= '0' or ARGV[7] ~= '0' then
    redis.call('HSET', KEYS[1], 'red_ends_at', ARGV[6], 'yellow_ends_at', ARGV[7])
  end
  redis.call('PERSIST', KEYS[1])
  redis.call('PERSIST', KEYS[2])
end
return 1
