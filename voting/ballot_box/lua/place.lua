-- Put a turn's window into its box (compare-and-set), unless the box has a newer version.
-- KEYS: box, ballots, voters whose ballots arrived after a prefetch.
-- ARGV: create (1 or 0), version, epoch, opens_at, closes_at, when red and yellow run out of time in a match with
--   clocks, otherwise 0, and whether ballots are stored in the database (see `Storing`).
-- Returns 1 if the box is up to date, 2 if its ballots have yet to be stored, 0 if there is no such box.
-- From the first call with stored 1 on, gateways store all ballots. Those cast before are 'pending' until stored.
-- A newer version unseals: a close with an older version can no longer be committed.
-- A box counts as missing if its ballots do not match its counts, if it was found to be an older copy of itself, or
-- if its epoch is older: a copy from before the loss that began the caller's epoch.
-- Creating it counts the remaining ballots and clears all acknowledged arrivals. A gateway with acknowledged
-- arrivals in the same epoch then notices the loss; in a new epoch it starts from 0.
local box = redis.call('HMGET', KEYS[1], 'version', 'red', 'yellow', 'older', 'epoch')
local held = redis.call('HLEN', KEYS[2])
local whole = box[1] and not box[4] and tonumber(box[5] or 0) >= tonumber(ARGV[3])
  and held == tonumber(box[2] or 0) + tonumber(box[3] or 0)
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
  redis.call('HDEL', KEYS[1], 'older', 'prefetch')
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
  redis.call('PERSIST', KEYS[3])
end
if ARGV[8] == '2' then
  redis.call('HSETNX', KEYS[1], 'stored', 'soon')
elseif ARGV[8] == '1' then
  redis.call('HSETNX', KEYS[1], 'stored', redis.call('HLEN', KEYS[2]) == 0 and 'done' or 'pending')
end
return redis.call('HGET', KEYS[1], 'stored') == 'pending' and 2 or 1
