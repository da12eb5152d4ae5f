-- Set a gateway's total of cheers and return the total of all gateways.
-- KEYS: cheers.
-- ARGV: gateway; cheers of team 1; cheers of team 2; TTL in ms.
-- Returns {team 1, team 2}.
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local one, two = 0, 0
for _, presses in ipairs(redis.call('HVALS', KEYS[1])) do
  local c1, c2 = string.match(presses, '^(%d+) (%d+)$')
  one, two = one + c1, two + c2
end
return { one, two }
